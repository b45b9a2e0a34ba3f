#include "daemon/handlers/skills.h"

#include "daemon/handlers/skill_answers.h"

#include <memory>

namespace upskill::daemon {

void bind_skill_handlers(Binder& binder, SkillLibrary& library, Describe describe) {
  binder.on(k_skill_list, [&library](SkillListParams params, RequestContext context) {
    return list_skills(library, std::move(params), std::move(context));
  });
  binder.on(k_skill_read, [&library](SkillReadParams params, RequestContext context) {
    return read_skill_file(library, std::move(params), std::move(context));
  });
  binder.on(k_skill_show, [&library](SkillShowParams params, RequestContext context) {
    return show_skill(library, std::move(params), std::move(context));
  });
  binder.on(k_skill_validate, [&library](SkillValidateParams params, RequestContext context) {
    return validate_skills(library, std::move(params), std::move(context));
  });
  binder.on(k_agent_list, [&library](AgentListParams params, RequestContext context) {
    return list_agents(library, std::move(params), std::move(context));
  });
  auto sandbox = std::make_shared<sandbox::Sandbox>(); // one: what works is tried once
  binder.on(k_doctor, [&library, sandbox, describe](DoctorParams, RequestContext context) {
    return diagnose(library, sandbox, describe, std::move(context));
  });
}

} // namespace upskill::daemon
