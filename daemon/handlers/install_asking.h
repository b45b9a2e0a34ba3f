#pragma once
#include "daemon/await.h"
#include "daemon/binder.h"
#include "daemon/handlers/confirmation.h"
#include "protocol/base/hash.h"
#include "protocol/types/install.h"
#include "protocol/types/update.h"
#include "skills/config/config.h"

#include <functional>
#include <string>
#include <utility>

// A person is asked before an agent installs, updates or removes: what would be done is rehearsed,
// shown, and done only if it is still the same when the answer comes.
namespace upskill::daemon {

// For the person who decides; a few KB at most.
std::string question_about(const InstallResult& plan);
std::string question_about(const UpdateResult& plan);
std::string question_about(const RemoveResult& plan);

// Whether anything would be done.
bool changes_something(const InstallResult& plan);
bool changes_something(const UpdateResult& plan);
bool changes_something(const RemoveResult& plan);

// Refused, unless the agent may do this where nobody can be asked.
Result<void> check_unasked(config::AgentInstall agents, std::string_view command);
Error not_confirmed(std::string_view command);

// What is to be known when the answer comes: the plan's name, and what it was.
struct AskedAbout {
  std::string plan = {};
  std::string digest = {};

  std::string state() const { return plan + " " + digest; }

  static AskedAbout parse(const std::string& state);
};

template <class R> AskedAbout asked_about(R plan) {
  AskedAbout about;
  if constexpr (requires { plan.plan; }) {
    about.plan = std::exchange(plan.plan, {});
  }
  about.digest = sha256(encode(plan)).hex();
  return about;
}

template <class P> void name_plan([[maybe_unused]] P& params, [[maybe_unused]] std::string plan) {
  if constexpr (requires { params.plan; }) {
    params.plan = std::move(plan);
  }
}

// `run` is the whole order. Of a rehearsal that changes nothing, its result is the answer.
template <class P, class R>
Awaitable<Asked<R>> ask_first(P params,
                              std::function<Awaitable<R>(P)> run,
                              config::AgentInstall agents,
                              std::string_view command,
                              RequestContext context) {
  if (agents == config::AgentInstall::refuse) {
    CO_TRY(check_unasked(agents, command));
  }
  PersonSaid said = said_in(context.input_responses);
  if (said == PersonSaid::no) {
    co_return tl::make_unexpected(not_confirmed(command));
  }
  AskedAbout shown = AskedAbout::parse(said == PersonSaid::yes ? context.state : std::string());
  name_plan(params, shown.plan);
  params.dry_run = true;
  AWAIT(Result<R> plan, run(params));
  CO_TRY(plan);
  if (!changes_something(*plan)) {
    if constexpr (requires { plan->plan; }) {
      plan->plan.clear();
    }
    co_return Asked<R>(std::move(*plan));
  }
  AskedAbout now = asked_about(*plan);
  if (said == PersonSaid::nothing && context.client.form) {
    co_return Asked<R>(confirmation_of(question_about(*plan), now.state()));
  }
  if (said == PersonSaid::nothing) {
    CO_TRY(check_unasked(agents, command));
  } else if (now.digest != shown.digest) {
    co_return fail(ErrorCode::changed,
                   "what would be done is not any more what the person was shown",
                   "call again, and the person is asked anew");
  }
  name_plan(params, now.plan);
  params.dry_run = false;
  AWAIT(Result<R> result, run(params));
  CO_TRY(result);
  co_return Asked<R>(std::move(*result));
}

} // namespace upskill::daemon
