#include "daemon/handlers/sync_answers.h"

#include "daemon/await.h"

#include <algorithm>
#include <map>
#include <utility>

namespace upskill::daemon {

SyncPlanResult plan_of(const SyncStatusResult& status, sync::Round round) {
  SyncPlanResult result;
  result.enabled = status.enabled;
  result.policy = status.policy;
  result.agents = status.agents;
  result.roots = status.roots;
  result.steps = std::move(round.steps);
  result.in_sync = round.in_sync;
  result.left_out = std::move(round.left_out);
  return result;
}

SyncNowResult outcome_of(const SyncStatusResult& status, sync::Round round) {
  SyncNowResult result;
  result.steps = std::move(round.steps);
  result.conflicts = status.conflicts;
  result.held = status.held;
  result.warnings = std::move(round.warnings);
  return result;
}

void add_choices(SyncStatusResult& status, const SyncSettings& settings) {
  status.chosen = settings.agents;
  status.without = settings.without;
  status.link = settings.link;
  status.exclude = settings.exclude;
}

void count_skills(std::vector<RootStatus>& roots, const Catalogue& catalogue) {
  std::map<std::string_view, std::int64_t> counts; // by path of the root
  for (std::uint32_t i = 0; i < catalogue.size(); ++i) {
    for (const Catalogue::Copy& copy : catalogue.copies(catalogue.row(i))) {
      counts[catalogue.root(copy).real_path] += copy.has_document;
    }
  }
  for (RootStatus& root : roots) {
    auto found = counts.find(root.path);
    root.skills = root.skills == 0 && found != counts.end() ? found->second : root.skills;
  }
}

SyncStatusResult status_without_store(const SyncService& service, const Scene& scene) {
  SyncStatusResult status;
  status.policy = scene.settings.policy;
  status.agents = scene.enabled;
  if (std::optional<Error> stopped = service.why_stopped()) {
    status.enabled = true;
    status.state = SyncState::stopped;
    status.reason = stopped->message;
    status.hint = stopped->hint;
  }
  for (const library::Root& root : scene.roots) {
    status.roots.push_back(
        {root.real_path, root.scope, root.state, root.reason, root.readers, root.aliases, 0});
  }
  return status;
}

Awaitable<SyncStatusResult>
status_of(SkillLibrary& library, std::string skill, RequestContext context) {
  SyncService& service = library.service();
  auto look = [&skill](sync::Engine& engine) -> Result<SyncStatusResult> {
    return engine.status(skill);
  };
  AWAIT(Result<std::shared_ptr<const Scene>> scene, service.scene());
  CO_TRY(scene);
  Result<SyncStatusResult> status;
  if (service.has_store()) {
    AWAIT(Result<bool> waiting, service.look_at_waiting());
    CO_TRY(waiting);
    AWAIT(status, service.lane().with_engine(std::move(look)));
    CO_TRY(status);
    if (status->enabled && (*waiting || service.is_working())) {
      status->state = SyncState::working;
    }
  } else {
    status = status_without_store(service, **scene);
  }
  add_choices(*status, (*scene)->settings);
  if (!service.has_store() || !std::ranges::all_of((*scene)->scopes, &sync::ScopeSetup::enabled)) {
    AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, library.catalogue(context.stopping));
    CO_TRY(catalogue);
    count_skills(status->roots, **catalogue);
  }
  for (std::string& warning : service.warnings()) {
    if (std::find(status->warnings.begin(), status->warnings.end(), warning)
        == status->warnings.end()) {
      status->warnings.push_back(std::move(warning));
    }
  }
  co_return status;
}

} // namespace upskill::daemon
