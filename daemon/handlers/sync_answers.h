#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"

namespace upskill::daemon {

// From what the engine says to what is answered.
SyncPlanResult plan_of(const SyncStatusResult& status, sync::Round round);
SyncNowResult outcome_of(const SyncStatusResult& status, sync::Round round);

// What the person chose, which the engine does not know.
void add_choices(SyncStatusResult& status, const SyncSettings& settings);

// Where sync is off the engine looks at nothing, yet skills may lie there.
void count_skills(std::vector<RootStatus>& roots, const Catalogue& catalogue);

// What can be told where the store cannot be used: who would take part, and why nothing happens.
SyncStatusResult status_without_store(const SyncService& service, const Scene& scene);

// How every copy of the skill stands; of all skills for an empty name.
Awaitable<SyncStatusResult>
status_of(SkillLibrary& library, std::string skill, RequestContext context);

} // namespace upskill::daemon
