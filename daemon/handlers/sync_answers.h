#pragma once
#include "daemon/handlers/catalogue.h"
#include "daemon/sync/service.h"

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

} // namespace upskill::daemon
