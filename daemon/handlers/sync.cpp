#include "daemon/handlers/sync.h"

#include "daemon/await.h"
#include "daemon/handlers/short_answers.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/handlers/sync_answers.h"
#include "daemon/handlers/sync_changes.h"

#include <memory>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_longest_log = 1000; // entries; the engine gives no more at once

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

using Tell = decltype(RequestContext::progress);

// Tells the client how far a round is for as long as the client waits, which is as long as `tell`
// is there: the round goes on when it hangs up.
sync::Progress progress_of(const std::shared_ptr<Tell>& tell) {
  return [weak = std::weak_ptr(tell)](std::size_t done, std::size_t of) {
    if (std::shared_ptr<Tell> here = weak.lock()) {
      (*here)(static_cast<double>(done), static_cast<double>(of), "looking at skills");
    }
  };
}

// What somebody should know of, and for those that asked for details each thing that was done: the
// answer for a model holds the first of them only.
void log_round(const sync::Round& round, const RequestContext& context) {
  for (const SyncStep& step : round.steps) {
    context.log(mcp::LogLevel::debug, "sync", encode(step));
  }
  for (const std::string& warning : round.warnings) {
    context.log(mcp::LogLevel::warning, "sync", encode(warning));
  }
}

// A name of nothing is a slip of the finger, which must not pass for a skill with nothing to tell.
Awaitable<void> check_known(SkillLibrary& library, std::string skill, RequestContext context) {
  if (skill.empty()) {
    co_return Result<void>();
  }
  auto ask = [&skill](sync::Engine& engine) -> Result<bool> {
    return !engine.status(skill).skills.empty();
  };
  AWAIT(Result<bool> in_sync, library.service().lane().with_engine(std::move(ask)));
  CO_TRY(in_sync);
  if (*in_sync) {
    co_return Result<void>();
  }
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, library.catalogue(context.stopping));
  CO_TRY(catalogue);
  auto [first, last] = (*catalogue)->find(skill);
  if (first == last) {
    co_return tl::make_unexpected(unknown_skill(**catalogue, skill));
  }
  co_return Result<void>();
}

// A rule that can never match anything would let a skill into sync that was to stay out.
Result<void> check_exclude(const std::vector<std::string>& rules, const Scene& scene) {
  for (const std::string& rule : rules) {
    std::size_t colon = rule.find(':');
    std::string agent = colon == std::string::npos ? std::string() : rule.substr(0, colon);
    bool is_empty = rule.empty() || colon == 0 || colon + 1 == rule.size();
    if (is_empty) {
      return fail(ErrorCode::invalid_argument,
                  "params.exclude: `" + rule + "` names no skill",
                  "`skill` or `agent:skill`; `*` matches any text");
    }
    if (!agent.empty() && agent.find('*') == std::string::npos
        && scene.table.find(agent) == nullptr) {
      return fail(ErrorCode::invalid_argument,
                  "params.exclude: `" + agent + "` is no agent that we know",
                  "`upskill agents --all` lists them");
    }
  }
  return {};
}

Awaitable<SyncPlanResult>
enable(SkillLibrary& library, SyncEnableParams params, RequestContext context) {
  SyncService& service = library.service();
  CO_TRY_ASSIGN(params.project, project_path(params.project, context));
  SettingsChange change = [params](const Scene& before) -> Result<SyncSettings> {
    if (params.exclude) {
      TRY(check_exclude(*params.exclude, before));
    }
    return with_enabled(before.settings, before.table, params);
  };
  HaltedRoots halted = params.accept ? HaltedRoots::accept : HaltedRoots::leave;
  if (params.dry_run) {
    AWAIT(Result<std::shared_ptr<const Scene>> scene, service.scene());
    CO_TRY(scene);
    AWAIT(Result<sync::Rehearsal> rehearsal, service.rehearse(std::move(change), halted));
    CO_TRY(rehearsal);
    SyncPlanResult plan = plan_of(rehearsal->status, std::move(rehearsal->round));
    plan.enabled = (*scene)->sync_is_on();
    co_return plan;
  }
  auto tell = std::make_shared<Tell>(context.progress);
  AWAIT(Result<sync::Round> round, service.change(std::move(change), halted, progress_of(tell)));
  CO_TRY(round);
  log_round(*round, context);
  AWAIT(Result<SyncStatusResult> status, status_of(library, {}, context));
  CO_TRY(status);
  co_return plan_of(*status, std::move(*round));
}

Result<SyncSettings> settings_without(const Scene& before, const SyncDisableParams& params) {
  SyncSettings after = with_disabled(before.settings, params);
  if (!params.project.empty() && after.projects.size() == before.settings.projects.size()) {
    return fail(ErrorCode::not_found,
                "`" + params.project + "` is no project under sync",
                "`upskill sync status` shows the folders that take part");
  }
  return after;
}

Awaitable<SyncPlanResult>
disable(SkillLibrary& library, SyncDisableParams params, RequestContext context) {
  SyncService& service = library.service();
  CO_TRY_ASSIGN(params.project, project_path(params.project, context));
  if (params.dry_run) {
    AWAIT(Result<std::shared_ptr<const Scene>> scene, service.scene());
    CO_TRY(scene);
    Result<SyncSettings> after = settings_without(**scene, params);
    CO_TRY(after);
  } else {
    SettingsChange change = [params](const Scene& before) {
      return settings_without(before, params);
    };
    AWAIT(Result<sync::Round> round, service.change(std::move(change), HaltedRoots::leave));
    CO_TRY(round);
  }
  AWAIT(Result<SyncStatusResult> status, status_of(library, {}, context));
  CO_TRY(status);
  co_return plan_of(*status, {});
}

Awaitable<SyncNowResult>
run(SkillLibrary& library, std::string skill, bool dry_run, RequestContext context) {
  auto tell = std::make_shared<Tell>(context.progress);
  AWAIT(Result<sync::Round> round, library.service().run_now(skill, dry_run, progress_of(tell)));
  CO_TRY(round);
  if (!dry_run) {
    log_round(*round, context);
  }
  if (round->steps.empty()) {
    AWAIT(Result<void> known, check_known(library, skill, context));
    CO_TRY(known);
  }
  AWAIT(Result<SyncStatusResult> status, status_of(library, {}, context));
  CO_TRY(status);
  if (!status->enabled) {
    round->warnings.push_back("sync is off; `upskill sync enable` switches it on");
  } else if (status->agents.empty()) {
    round->warnings.push_back("no coding agent takes part; `upskill sync status` says more");
  }
  SyncNowResult result = outcome_of(*status, std::move(*round));
  if (is_for_model(context)) {
    shorten(result);
  }
  co_return result;
}

Awaitable<SyncPlanResult> plan(SkillLibrary& library, std::string skill, RequestContext context) {
  auto tell = std::make_shared<Tell>(context.progress);
  AWAIT(Result<sync::Round> round, library.service().run_now(skill, true, progress_of(tell)));
  CO_TRY(round);
  if (round->steps.empty()) {
    AWAIT(Result<void> known, check_known(library, skill, context));
    CO_TRY(known);
  }
  AWAIT(Result<SyncStatusResult> status, status_of(library, {}, context));
  CO_TRY(status);
  co_return plan_of(*status, std::move(*round));
}

Awaitable<SyncStatusResult>
look_at(SkillLibrary& library, SyncStatusParams params, RequestContext context) {
  AWAIT(Result<void> seen, library.service().synchronise());
  CO_TRY(seen);
  AWAIT(Result<SyncStatusResult> status, status_of(library, params.skill, context));
  CO_TRY(status);
  if (status->skills.empty()) {
    AWAIT(Result<void> known, check_known(library, params.skill, context));
    CO_TRY(known);
  }
  co_return status;
}

Awaitable<SyncLogResult>
read_log(SkillLibrary& library, SyncLogParams params, RequestContext context) {
  auto read = [&params](sync::Engine& engine) -> Result<SyncLogResult> {
    // One more tells whether there are more.
    SyncLogParams wanted = params;
    wanted.limit += params.limit > 0 && params.limit < k_longest_log ? 1 : 0;
    TRY_ASSIGN(SyncLogResult log, engine.log(wanted));
    log.more = std::cmp_greater(log.entries.size(), params.limit);
    if (log.more) {
      log.entries.pop_back();
    }
    return log;
  };
  AWAIT(Result<SyncLogResult> log, library.service().lane().with_engine(std::move(read)));
  CO_TRY(log);
  if (log->entries.empty()) {
    AWAIT(Result<void> known, check_known(library, params.skill, context));
    CO_TRY(known);
  }
  co_return log;
}

Awaitable<SyncConflictsResult>
read_conflicts(SkillLibrary& library, SyncConflictsParams params, RequestContext context) {
  AWAIT(Result<void> seen, library.service().synchronise());
  CO_TRY(seen);
  auto read = [&params](sync::Engine& engine) -> Result<SyncConflictsResult> {
    return engine.conflicts(params);
  };
  AWAIT(Result<SyncConflictsResult> found, library.service().lane().with_engine(std::move(read)));
  CO_TRY(found);
  if (found->conflicts.empty()) {
    AWAIT(Result<void> known, check_known(library, params.skill, context));
    CO_TRY(known);
  }
  if (is_for_model(context)) {
    shorten(*found, params.skill.empty() ? ConflictDetail::overview : ConflictDetail::of_one_skill);
  }
  co_return found;
}

} // namespace

void bind_sync_handlers(Binder& binder, SkillLibrary& library) {
  SyncService& service = library.service();
  binder.on(k_sync_enable, [&library](SyncEnableParams params, RequestContext context) {
    return enable(library, std::move(params), std::move(context));
  });
  binder.on(k_sync_disable, [&library](SyncDisableParams params, RequestContext context) {
    return disable(library, std::move(params), std::move(context));
  });
  binder.on(k_sync_status, [&library](SyncStatusParams params, RequestContext context) {
    return look_at(library, std::move(params), std::move(context));
  });
  binder.on(k_sync_plan, [&library](SyncNowParams params, RequestContext context) {
    return plan(library, std::move(params.skill), std::move(context));
  });
  binder.on(k_sync_now, [&library](SyncNowParams params, RequestContext context) {
    return run(library, std::move(params.skill), params.dry_run, std::move(context));
  });
  binder.on(k_skill_sync, [&library](SkillSyncParams params, RequestContext context) {
    return run(library, std::move(params.skill), params.dry_run, std::move(context));
  });
  binder.on(k_sync_log, [&library](SyncLogParams params, RequestContext context) {
    return read_log(library, std::move(params), std::move(context));
  });
  binder.on(k_skill_conflicts, [&library](SyncConflictsParams params, RequestContext context) {
    return read_conflicts(library, std::move(params), std::move(context));
  });
  binder.on(k_sync_undo, [&library](SyncUndoParams params, RequestContext context) {
    return undo_change(library, std::move(params), std::move(context));
  });
  binder.on(k_conflict_resolve, [&library](ConflictResolveParams params, RequestContext context) {
    return resolve_conflict(library, std::move(params), std::move(context));
  });
  binder.on(k_wait_idle,
            [&service](WaitIdleParams params, RequestContext) -> Awaitable<WaitIdleResult> {
              if (params.timeout_ms < 0 || params.timeout_ms > 600'000) {
                co_return fail(ErrorCode::invalid_argument,
                               "params.timeout_ms: must be from 0 to 600000");
              }
              AWAIT(Result<WaitIdleResult> rest,
                    service.wait_idle(std::chrono::milliseconds(params.timeout_ms)));
              co_return rest;
            });
}

} // namespace upskill::daemon
