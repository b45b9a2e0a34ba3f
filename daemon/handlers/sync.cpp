#include "daemon/handlers/sync.h"

#include "daemon/await.h"

#include <algorithm>

namespace upskill::daemon {
namespace {

// A project's path as the caller wrote it, made absolute.
Result<std::string> project_path(const std::string& project, const RequestContext& context) {
  if (project.empty()) {
    return std::string();
  }
  if (project.front() != '/' && context.caller.cwd.empty()) {
    return fail(ErrorCode::invalid_argument, "params.project: must be an absolute path");
  }
  return normalized_path(project, context.caller.cwd);
}

SyncPlanResult plan_of(const SyncStatusResult& status, sync::Round round) {
  SyncPlanResult result;
  result.enabled = status.enabled;
  result.policy = status.policy;
  result.agents = status.agents;
  result.roots = status.roots;
  result.steps = std::move(round.steps);
  result.in_sync = round.in_sync;
  return result;
}

SyncNowResult outcome_of(const SyncStatusResult& status, sync::Round round) {
  return {std::move(round.steps), status.conflicts, status.held, std::move(round.warnings)};
}

Awaitable<SyncStatusResult> status_of(SyncService& service, std::string skill) {
  auto look = [&skill](sync::Engine& engine) -> Result<SyncStatusResult> {
    return engine.status(skill);
  };
  AWAIT(Result<bool> waiting, service.look_at_waiting());
  CO_TRY(waiting);
  AWAIT(Result<SyncStatusResult> status, service.lane().with_engine(std::move(look)));
  CO_TRY(status);
  if (status->enabled && (*waiting || service.is_working())) {
    status->state = SyncState::working;
  }
  for (std::string& warning : service.warnings()) {
    if (std::find(status->warnings.begin(), status->warnings.end(), warning)
        == status->warnings.end()) {
      status->warnings.push_back(std::move(warning));
    }
  }
  co_return status;
}

Awaitable<SyncPlanResult>
enable(SyncService& service, SyncEnableParams params, RequestContext context) {
  CO_TRY_ASSIGN(params.project, project_path(params.project, context));
  SettingsChange change = [params](const Scene& before) {
    return with_enabled(before.settings, before.table, params);
  };
  if (params.dry_run) {
    AWAIT(Result<std::shared_ptr<const Scene>> scene, service.scene());
    CO_TRY(scene);
    AWAIT(Result<RehearsalResult> rehearsal, service.rehearse(std::move(change)));
    CO_TRY(rehearsal);
    SyncPlanResult plan = plan_of(rehearsal->status, std::move(rehearsal->round));
    plan.enabled = (*scene)->sync_is_on();
    co_return plan;
  }
  HaltedRoots halted = params.accept ? HaltedRoots::accept : HaltedRoots::leave;
  AWAIT(Result<sync::Round> round, service.change(std::move(change), halted));
  CO_TRY(round);
  AWAIT(Result<SyncStatusResult> status, status_of(service, {}));
  CO_TRY(status);
  co_return plan_of(*status, std::move(*round));
}

Awaitable<SyncPlanResult>
disable(SyncService& service, SyncDisableParams params, RequestContext context) {
  CO_TRY_ASSIGN(params.project, project_path(params.project, context));
  if (!params.dry_run) {
    SettingsChange change = [params](const Scene& before) -> Result<SyncSettings> {
      return with_disabled(before.settings, params);
    };
    AWAIT(Result<sync::Round> round, service.change(std::move(change), HaltedRoots::leave));
    CO_TRY(round);
  }
  AWAIT(Result<SyncStatusResult> status, status_of(service, {}));
  CO_TRY(status);
  co_return plan_of(*status, {});
}

Awaitable<SyncNowResult> run(SyncService& service, std::string skill, bool dry_run) {
  AWAIT(Result<sync::Round> round, service.run_now(std::move(skill), dry_run));
  CO_TRY(round);
  AWAIT(Result<SyncStatusResult> status, status_of(service, {}));
  CO_TRY(status);
  if (!status->enabled) {
    round->warnings.push_back("sync is off; `upskill sync enable` switches it on");
  }
  co_return outcome_of(*status, std::move(*round));
}

Awaitable<SyncPlanResult> plan(SyncService& service, std::string skill) {
  AWAIT(Result<sync::Round> round, service.run_now(std::move(skill), true));
  CO_TRY(round);
  AWAIT(Result<SyncStatusResult> status, status_of(service, {}));
  CO_TRY(status);
  co_return plan_of(*status, std::move(*round));
}

// What a person asked for by name: `work` is one call of the engine that writes.
template <class F> Awaitable<SyncNowResult> write(SyncService& service, bool dry_run, F work) {
  AWAIT(Result<void> seen, service.synchronise());
  CO_TRY(seen);
  AWAIT(Result<sync::Round> round, service.lane().with_engine(std::move(work)));
  CO_TRY(round);
  if (!dry_run) {
    service.note(*round);
  }
  AWAIT(Result<SyncStatusResult> status, status_of(service, {}));
  CO_TRY(status);
  co_return outcome_of(*status, std::move(*round));
}

} // namespace

void bind_sync_handlers(Binder& binder, SyncService& service) {
  binder.on(k_sync_enable, [&service](SyncEnableParams params, RequestContext context) {
    return enable(service, std::move(params), std::move(context));
  });
  binder.on(k_sync_disable, [&service](SyncDisableParams params, RequestContext context) {
    return disable(service, std::move(params), std::move(context));
  });
  binder.on(k_sync_status,
            [&service](SyncStatusParams params, RequestContext) -> Awaitable<SyncStatusResult> {
              AWAIT(Result<void> seen, service.synchronise());
              CO_TRY(seen);
              AWAIT(Result<SyncStatusResult> status, status_of(service, params.skill));
              co_return status;
            });
  binder.on(k_sync_plan, [&service](SyncNowParams params, RequestContext) {
    return plan(service, std::move(params.skill));
  });
  binder.on(k_sync_now, [&service](SyncNowParams params, RequestContext) {
    return run(service, std::move(params.skill), params.dry_run);
  });
  binder.on(k_skill_sync, [&service](SkillSyncParams params, RequestContext) {
    return run(service, std::move(params.skill), params.dry_run);
  });
  binder.on(k_sync_log,
            [&service](SyncLogParams params, RequestContext) -> Awaitable<SyncLogResult> {
              auto read = [&params](sync::Engine& engine) { return engine.log(params); };
              AWAIT(Result<SyncLogResult> log, service.lane().with_engine(std::move(read)));
              co_return log;
            });
  binder.on(
      k_skill_conflicts,
      [&service](SyncConflictsParams params, RequestContext) -> Awaitable<SyncConflictsResult> {
        AWAIT(Result<void> seen, service.synchronise());
        CO_TRY(seen);
        auto read = [&params](sync::Engine& engine) { return engine.conflicts(params); };
        AWAIT(Result<SyncConflictsResult> found, service.lane().with_engine(std::move(read)));
        co_return found;
      });
  binder.on(k_sync_undo, [&service](SyncUndoParams params, RequestContext) {
    sync::Moment now = service.now();
    bool dry_run = params.dry_run;
    return write(
        service, dry_run, [params, now](sync::Engine& engine) { return engine.undo(params, now); });
  });
  binder.on(k_conflict_resolve, [&service](ConflictResolveParams params, RequestContext) {
    sync::Moment now = service.now();
    bool dry_run = params.dry_run;
    return write(service, dry_run, [params, now](sync::Engine& engine) {
      return engine.resolve(params, now);
    });
  });
  binder.on(k_wait_idle,
            [&service](WaitIdleParams params, RequestContext) -> Awaitable<WaitIdleResult> {
              if (params.timeout_ms < 0 || params.timeout_ms > 600'000) {
                co_return fail(ErrorCode::invalid_argument,
                               "params.timeout_ms: must be from 0 to 600000");
              }
              AWAIT(Result<SyncState> state,
                    service.wait_idle(std::chrono::milliseconds(params.timeout_ms)));
              CO_TRY(state);
              co_return WaitIdleResult{*state};
            });
}

} // namespace upskill::daemon
