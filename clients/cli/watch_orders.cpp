#include "clients/cli/watch_orders.h"

#include "clients/cli/eval_parts.h"
#include "clients/cli/text.h"
#include "clients/cli/watch_parts.h"
#include "clients/connect/text_reader.h"
#include "protocol/base/paths.h"
#include "protocol/codec/codec.h"
#include "protocol/methods.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::int64_t k_entries = 50; // of the sync log, among which one to undo is looked for

template <class T> Result<T> read_reply(const Result<connect::CallReply>& reply) {
  if (!reply) {
    return fail(reply.error());
  }
  TRY_ASSIGN(connect::TextReader reader, connect::TextReader::open(reply->result, "the answer"));
  return decode<T>(reader, "result");
}

void say_error(WatchView& view, const Error& error) {
  say(view, error.message + (error.hint.empty() ? "" : "; " + error.hint), Tint::red);
}

const WatchedSkill* skill_of(const std::vector<WatchedSkill>& skills, const WatchOrder& order) {
  auto found = std::ranges::find(skills, order.project + "\n" + order.skill, key_of);
  return found == skills.end() ? nullptr : &*found;
}

// With whom it was accepted before.
void add_subjects(EvalAcceptParams& params, const WatchedSkill& skill) {
  auto add = [](std::vector<std::string>& list, const std::string& one) {
    if (!one.empty() && std::ranges::find(list, one) == list.end()) {
      list.push_back(one);
    }
  };
  for (const WatchedSubject& subject : skill.subjects) {
    add(params.model, subject.model);
    add(params.student, subject.student);
  }
}

void hear_run(WatchView& view, const WatchOrder& order, const WatchResult& result) {
  std::string name = clean_line(order.skill);
  const WatchedSkill* skill = skill_of(result.skills, order);
  if (skill != nullptr && skill->state == WatchState::testing) {
    say(view, name + " is being tested.");
  } else if (skill != nullptr) {
    say(view, "There is nothing to test in " + name + ": " + skill->why);
  }
}

void hear_cancel(WatchView& view, const WatchOrder& order, const WatchResult& result) {
  std::string name = clean_line(order.skill);
  const WatchedSkill* skill = skill_of(result.skills, order);
  bool has_ended = order.is_testing && skill != nullptr && skill->reason == WatchReason::cancelled;
  say(view,
      has_ended ? "The test of " + name + " has ended; what it has learnt stays."
                : "No test of " + name + " is under way.");
}

void plan_accept(WatchView& view, const WatchOrder& order, const EvalAcceptResult& plan) {
  std::string name = clean_line(order.skill);
  const WatchedSkill* skill = skill_of(view.skills, order);
  // By its name the daemon finds the user's own, or that of the folder where this was started.
  if (skill != nullptr && !order.project.empty() && plan.hash != skill->hash) {
    say(view,
        "`upskill eval accept` in " + order.project + " accepts this one: here another " + name
            + " is found.",
        Tint::yellow);
    return;
  }
  WatchOrder yes = order;
  yes.act = WatchAct::accept;
  view.question = WatchQuestion{"Accept " + name + " as it stands? "
                                    + count(plan.planned, "sample", "samples") + " at most, y/n",
                                std::move(yes)};
}

WatchOrder find_undo(WatchView& view, const WatchOrder& order, const SyncLogResult& log) {
  for (const HistoryEntry& entry : log.entries) {
    bool is_its = order.project.empty() || std::ranges::any_of(entry.paths, [&](const auto& path) {
                    return is_inside(path, order.project);
                  });
    if (!entry.undone && is_its) {
      WatchOrder next = order;
      next.act = WatchAct::plan_undo;
      next.entry = entry.id;
      return next;
    }
  }
  say(view,
      "Sync has changed nothing in " + clean_line(order.skill) + " that could be taken back.",
      Tint::yellow);
  return {};
}

// What the steps of an undo do, as "update 2 copies, remove 1 copy".
std::string steps_of(const SyncNowResult& plan) {
  std::vector<std::pair<SyncAction, long long>> counts;
  for (const SyncStep& step : plan.steps) {
    auto found = std::ranges::find(counts, step.action, [](const auto& one) { return one.first; });
    if (found == counts.end()) {
      counts.emplace_back(step.action, 1);
    } else {
      ++found->second;
    }
  }
  std::string out;
  for (const auto& [action, number] : counts) {
    out += (out.empty() ? "" : ", ") + std::string(enum_name(action)) + " "
           + count(number, "copy", "copies");
  }
  return out.empty() ? "no copy would change" : out;
}

void plan_undo(WatchView& view, const WatchOrder& order, const SyncNowResult& plan) {
  WatchOrder yes = order;
  yes.act = WatchAct::undo;
  view.question = WatchQuestion{"Undo entry " + std::to_string(order.entry) + " of "
                                    + clean_line(order.skill) + " (" + steps_of(plan) + ")? y/n",
                                std::move(yes)};
}

} // namespace

WatchCall call_of(const WatchOrder& order, const WatchView& view) {
  switch (order.act) {
  case WatchAct::run:
    return {k_watch_run.name, encode(WatchRunParams{order.skill})};
  case WatchAct::cancel:
    return {k_watch_cancel.name, encode(WatchCancelParams{order.skill})};
  case WatchAct::plan_accept:
  case WatchAct::accept: {
    EvalAcceptParams params{order.skill};
    if (const WatchedSkill* skill = skill_of(view.skills, order)) {
      add_subjects(params, *skill);
    }
    params.dry_run = order.act == WatchAct::plan_accept;
    return {k_eval_accept.name, encode(params)};
  }
  case WatchAct::find_undo:
    return {k_sync_log.name, encode(SyncLogParams{order.skill, k_entries})};
  case WatchAct::plan_undo:
  case WatchAct::undo: {
    SyncUndoParams params{order.entry};
    params.dry_run = order.act == WatchAct::plan_undo;
    return {k_sync_undo.name, encode(params)};
  }
  case WatchAct::none:
  case WatchAct::quit:
    break;
  }
  return {};
}

WatchOrder hear(WatchView& view, const WatchOrder& order, const Result<connect::CallReply>& reply) {
  auto with = [&]<class T>(Result<T> result, auto&& act) -> WatchOrder {
    if (!result) {
      say_error(view, result.error());
      return {};
    }
    return act(*result);
  };
  switch (order.act) {
  case WatchAct::run:
  case WatchAct::cancel:
    return with(read_reply<WatchResult>(reply), [&](const WatchResult& result) {
      take_some(view, result.skills); // the news of it may be a moment behind
      order.act == WatchAct::run ? hear_run(view, order, result) : hear_cancel(view, order, result);
      return WatchOrder{};
    });
  case WatchAct::plan_accept:
  case WatchAct::accept:
    return with(read_reply<EvalAcceptResult>(reply), [&](const EvalAcceptResult& result) {
      if (order.act == WatchAct::plan_accept) {
        plan_accept(view, order, result);
      } else {
        std::string spent = spent_of(0, result.cost);
        say(view,
            clean_line(order.skill) + " is accepted as it stands"
                + (spent.empty() ? "." : "; " + spent + "."),
            Tint::green);
      }
      return WatchOrder{};
    });
  case WatchAct::find_undo:
    return with(read_reply<SyncLogResult>(reply),
                [&](const SyncLogResult& result) { return find_undo(view, order, result); });
  case WatchAct::plan_undo:
  case WatchAct::undo:
    return with(read_reply<SyncNowResult>(reply), [&](const SyncNowResult& result) {
      if (order.act == WatchAct::plan_undo) {
        plan_undo(view, order, result);
      } else {
        say(view, "Undone: " + steps_of(result) + ".", Tint::green);
      }
      return WatchOrder{};
    });
  case WatchAct::none:
  case WatchAct::quit:
    break;
  }
  return {};
}

} // namespace upskill::cli
