#include "daemon/await.h"
#include "daemon/handlers/skill_answers.h"
#include "daemon/runtime/offload.h"

#include <algorithm>

namespace upskill::daemon {
namespace {

void add_new(std::vector<std::string>& list, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (std::ranges::find(list, path) == list.end()) {
      list.push_back(path);
    }
  }
}

AgentStatus
status_of(const agents::Agent& agent, const Scene& scene, const agents::Setting& setting) {
  AgentStatus status;
  status.agent = agent.id;
  status.title = agent.title;
  status.enabled = std::ranges::find(scene.enabled, agent.id) != scene.enabled.end();
  agents::AgentRoots user = agents::resolve(agent, Scope::user, setting);
  status.writes = user.writes;
  add_new(status.reads, user.reads);
  add_new(status.reads, user.administered);
  for (const ProjectSettings& project : scene.settings.projects) {
    agents::Setting there = setting;
    there.project = project.path;
    add_new(status.reads, agents::resolve(agent, Scope::project, there).reads);
  }
  return status;
}

AgentListResult look_at_agents(const Scene& scene, const agents::Setting& setting, bool wants_all) {
  AgentListResult result;
  // Anew: a program that was installed since the daemon started is here.
  std::vector<agents::Detected> detected = agents::detect(scene.table, setting);
  for (const agents::Agent& agent : scene.table.agents()) {
    auto found = std::ranges::find(detected, agent.id, &agents::Detected::id);
    bool is_enabled = std::ranges::find(scene.enabled, agent.id) != scene.enabled.end();
    if (!wants_all && !is_enabled && found == detected.end()) {
      continue;
    }
    AgentStatus& status = result.agents.emplace_back(status_of(agent, scene, setting));
    status.detected = found != detected.end();
    status.evidence = status.detected ? found->evidence : std::string();
  }
  return result;
}

} // namespace

Awaitable<AgentListResult>
list_agents(SkillLibrary& library, AgentListParams params, RequestContext context) {
  SyncService& service = library.service();
  AWAIT(Result<std::shared_ptr<const Scene>> scene, service.scene());
  CO_TRY(scene);
  agents::Setting setting{
      service.context().places, service.environment(), agents::real_probe(), {}};
  auto look = [&] { return look_at_agents(**scene, setting, params.all); };
  AWAIT(AgentListResult result, runtime::offload(library.pool(context), std::move(look)));
  co_return result;
}

} // namespace upskill::daemon
