#include "daemon/await.h"
#include "daemon/daemon.h"
#include "daemon/doctor/doctor.h"
#include "daemon/handlers/skill_answers.h"
#include "daemon/runtime/offload.h"

namespace upskill::daemon {

Awaitable<DoctorResult> diagnose(SkillLibrary& library,
                                 std::shared_ptr<sandbox::Sandbox> sandbox,
                                 Describe describe,
                                 RequestContext context) {
  SyncService& service = library.service();
  // A watcher that does not answer is a finding, not the end of the search for others.
  AWAIT(Result<void> seen, service.synchronise());
  AWAIT(Result<std::shared_ptr<const Scene>> scene, service.scene());
  CO_TRY(scene);
  doctor::Facts facts;
  facts.scene = *scene;
  facts.places = service.context().places;
  facts.environment = service.environment();
  describe(facts.status);
  facts.status.version = version();
  facts.asked_by = context.caller.version;
  if (!seen) {
    facts.status.warnings.push_back(seen.error().message);
  }
  if ((*scene)->sync_is_on()) {
    auto ask = [](sync::Engine& engine) -> Result<SyncStatusResult> { return engine.status(); };
    AWAIT(Result<SyncStatusResult> status, service.lane().with_engine(std::move(ask)));
    if (status) {
      facts.sync = std::move(*status);
    } else if (facts.status.sync != SyncState::stopped) {
      facts.status.warnings.push_back(status.error().message);
    }
  }
  AWAIT(Result<void> works, sandbox->check());
  if (!works) {
    facts.no_sandbox = works.error();
  }
  auto examine = [&] { return doctor::examine(facts, context.stopping); };
  AWAIT(Result<DoctorResult> result, runtime::offload(library.pool(context), std::move(examine)));
  co_return result;
}

} // namespace upskill::daemon
