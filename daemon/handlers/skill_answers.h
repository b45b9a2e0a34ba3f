#pragma once
#include "daemon/binder.h"
#include "daemon/handlers/skill_library.h"
#include "daemon/handlers/skills.h"
#include "daemon/sandbox/sandbox.h"

#include <memory>

// What answers each method about skills.
namespace upskill::daemon {

Awaitable<SkillListResult>
list_skills(SkillLibrary& library, SkillListParams params, RequestContext context);
Awaitable<SkillReadResult>
read_skill_file(SkillLibrary& library, SkillReadParams params, RequestContext context);
Awaitable<SkillShowResult>
show_skill(SkillLibrary& library, SkillShowParams params, RequestContext context);
Awaitable<SkillValidateResult>
validate_skills(SkillLibrary& library, SkillValidateParams params, RequestContext context);
Awaitable<AgentListResult>
list_agents(SkillLibrary& library, AgentListParams params, RequestContext context);
Awaitable<DoctorResult> diagnose(SkillLibrary& library,
                                 std::shared_ptr<sandbox::Sandbox> sandbox,
                                 Describe describe,
                                 RequestContext context);

} // namespace upskill::daemon
