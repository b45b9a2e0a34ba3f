#include "daemon/handlers/sync_changes.h"

#include "daemon/await.h"
#include "daemon/handlers/confirmation.h"
#include "daemon/handlers/short_answers.h"
#include "daemon/handlers/sync_answers.h"
#include "daemon/handlers/sync_changes_plan.h"
#include "daemon/handlers/version_named.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace upskill::daemon {
namespace {

std::vector<std::int64_t> ids_of(const sync::Engine& engine) {
  std::vector<std::int64_t> ids;
  if (Result<std::vector<sync::OpenConflict>> open = engine.open_conflicts()) {
    std::ranges::transform(*open, std::back_inserter(ids), &sync::OpenConflict::id);
  }
  return ids; // in ascending order
}

// Everything written before the call is known, and sync can work.
Awaitable<void> make_ready(SkillLibrary& library) {
  AWAIT(Result<void> seen, library.service().synchronise());
  CO_TRY(seen);
  co_return library.service().check_running();
}

// What somebody asked for by name: `work` is one call of the engine that writes. What it did before
// it failed is followed up as well.
template <class F>
Awaitable<SyncNowResult>
write(SkillLibrary& library, bool dry_run, F work, RequestContext context) {
  SyncService& service = library.service();
  AWAIT(Result<void> ready, make_ready(library));
  CO_TRY(ready);
  std::optional<sync::Round> done;
  std::vector<std::int64_t> before;
  std::vector<std::int64_t> after;
  auto ask = [&](sync::Engine& engine) {
    before = ids_of(engine);
    Result<sync::Round> round = work(engine, &done);
    after = ids_of(engine);
    return round;
  };
  AWAIT(Result<sync::Round> round, service.lane().with_engine(std::move(ask)));
  if (!round && done && !dry_run) {
    service.note(*done);
  }
  CO_TRY(round);
  if (!dry_run) {
    service.note(*round);
  }
  AWAIT(Result<SyncStatusResult> status, status_of(library, {}, context));
  CO_TRY(status);
  std::optional<std::int64_t> settles = round->settles;
  SyncNowResult result = outcome_of(*status, std::move(*round));
  if (dry_run && settles) {
    result.settled.push_back(*settles);
  }
  std::ranges::set_difference(before, after, std::back_inserter(result.settled));
  std::ranges::set_difference(after, before, std::back_inserter(result.opened));
  if (is_for_model(context)) {
    shorten(result);
  }
  co_return result;
}

// A conflict as a caller named it, and how to settle it.
struct Settlement {
  ConflictResolveParams params;
  sync::Moment now;
  std::string home;
  std::string cwd;

  ConflictResolveParams named_for(const sync::Engine& engine) const {
    ConflictResolveParams named = params;
    named.take = version_named(params.take, engine, home, cwd);
    return named;
  }

  // What was not said is not wrong; the engine's hint lists what may be.
  template <class T> Result<T> explained(Result<T> result) const {
    if (!result && params.take.empty() && result.error().code == ErrorCode::invalid_argument) {
      return fail(ErrorCode::invalid_argument,
                  "which version of `" + params.skill + "` to take was not said",
                  result.error().hint);
    }
    return result;
  }

  Result<SettlementPlan> plan(sync::Engine& engine) const {
    return explained(plan_settlement(engine, named_for(engine), now));
  }

  Result<sync::Round> settle(sync::Engine& engine, std::optional<sync::Round>* done) const {
    return explained(engine.resolve(named_for(engine), now, done));
  }
};

Awaitable<Asked<SyncNowResult>>
ask_person(SkillLibrary& library, Settlement settlement, RequestContext context) {
  AWAIT(Result<void> ready, make_ready(library));
  CO_TRY(ready);
  auto rehearse = [&settlement](sync::Engine& engine) { return settlement.plan(engine); };
  AWAIT(Result<SettlementPlan> plan, library.service().lane().with_engine(std::move(rehearse)));
  CO_TRY(plan);
  if (!context.client.form) {
    co_return fail(ErrorCode::refused,
                   "this overwrites or deletes copies, and the client cannot ask the person first",
                   "`upskill sync resolve` settles it at a terminal");
  }
  co_return Asked<SyncNowResult>(confirmation_of(question_about(*plan), digest_of(*plan)));
}

} // namespace

Awaitable<SyncNowResult>
undo_change(SkillLibrary& library, SyncUndoParams params, RequestContext context) {
  sync::Moment now = library.service().now();
  bool dry_run = params.dry_run;
  auto undo = [params, now](sync::Engine& engine, std::optional<sync::Round>* done) {
    return engine.undo(params, now, done);
  };
  return write(library, dry_run, std::move(undo), std::move(context));
}

Awaitable<Asked<SyncNowResult>>
resolve_conflict(SkillLibrary& library, ConflictResolveParams params, RequestContext context) {
  bool dry_run = params.dry_run;
  bool is_asked_first = is_for_model(context) && !dry_run;
  Settlement settlement{std::move(params),
                        library.service().now(),
                        library.service().context().places.home,
                        context.caller.cwd};
  PersonSaid said = is_asked_first ? said_in(context.input_responses) : PersonSaid::yes;
  if (said == PersonSaid::nothing) {
    AWAIT(Result<Asked<SyncNowResult>> question,
          ask_person(library, std::move(settlement), std::move(context)));
    co_return question;
  }
  if (said == PersonSaid::no) {
    co_return fail(ErrorCode::refused,
                   "the person did not confirm it, so nothing was changed",
                   "ask the person what to do; `upskill sync resolve` settles it at a terminal");
  }
  auto settle = [&settlement, is_asked_first, &shown = context.state](
                    sync::Engine& engine, std::optional<sync::Round>* done) -> Result<sync::Round> {
    if (is_asked_first) {
      TRY_ASSIGN(SettlementPlan plan, settlement.plan(engine));
      if (digest_of(plan) != shown) {
        return fail(ErrorCode::changed,
                    "what would be done is not any more what the person was shown",
                    "call again, and the person is asked anew");
      }
    }
    return settlement.settle(engine, done);
  };
  AWAIT(Result<SyncNowResult> result, write(library, dry_run, std::move(settle), context));
  CO_TRY(result);
  co_return Asked<SyncNowResult>(std::move(*result));
}

} // namespace upskill::daemon
