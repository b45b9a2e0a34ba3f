#include "clients/cli/exit_code.h"

#include <algorithm>
#include <initializer_list>

namespace upskill::cli {
namespace {

bool is_true(const connect::TextReader& result, std::string_view field) {
  auto member = result.member(field);
  return member && member->boolean().value_or(false);
}

std::string text(const connect::TextReader& result, std::string_view field) {
  auto member = result.member(field);
  return member ? member->string().value_or("") : std::string();
}

bool is_above_zero(const connect::TextReader& result, std::string_view field) {
  auto member = result.member(field);
  return member && member->integer().value_or(0) > 0;
}

bool all_in_sync(const connect::TextReader& result, bool one_is_named) {
  std::string state = text(result, "state");
  bool in_sync = is_true(result, "enabled") && (state == "idle" || state == "working")
                 && !is_above_zero(result, "conflicts") && !is_above_zero(result, "held");
  if (auto agents = result.member("agents")) {
    bool takes_part = false;
    agents->each_element([&](std::size_t, JsonReader&) { takes_part = true; });
    in_sync = in_sync && takes_part; // or nobody sees to it
  }
  bool any = false;
  if (auto skills = result.member("skills")) {
    skills->each_element([&](std::size_t, JsonReader& skill) {
      std::string one = text(static_cast<connect::TextReader&>(skill), "state");
      if (one != "excluded") {
        any = true; // of those that take part
        in_sync = in_sync && one == "in_sync";
      }
    });
  }
  return in_sync && (any || !one_is_named);
}

// How many skills of a result are in one of these states.
std::size_t in_state(const connect::TextReader& result,
                     std::initializer_list<std::string_view> states) {
  std::size_t number = 0;
  if (auto skills = result.member("skills")) {
    skills->each_element([&](std::size_t, JsonReader& skill) {
      std::string state = text(static_cast<connect::TextReader&>(skill), "state");
      number += std::ranges::find(states, state) != states.end() ? 1 : 0;
    });
  }
  return number;
}

// What was asked for and not done comes before what was kept out: the rest is in place either way.
int code_of_install(const Invocation& invocation, const connect::TextReader& result) {
  if (is_true(result, "choose")) {
    return invocation.flag("dry_run") ? k_done : k_usage; // a dry run lists what there is
  }
  if (in_state(result, {"taken", "invalid", "failed"}) > 0) {
    return k_could_not;
  }
  return in_state(result, {"dangerous"}) > 0 ? k_answer_is_no : k_done;
}

int code_of_update(const Invocation& invocation, const connect::TextReader& result) {
  if (invocation.flag("check") && is_true(result, "any_new")) {
    return k_answer_is_no;
  }
  bool is_named = invocation.flag("skill");
  if (in_state(result, {"failed"}) > 0 || (is_named && in_state(result, {"missing"}) > 0)) {
    return k_could_not;
  }
  return in_state(result, {"dangerous"}) > 0 ? k_answer_is_no : k_done;
}

int code_of_scan(const connect::TextReader& result) {
  if (text(result, "danger") == "severe") {
    return k_answer_is_no;
  }
  bool any_unread = false;
  if (auto skills = result.member("skills")) {
    skills->each_element([&](std::size_t, JsonReader& skill) {
      any_unread = any_unread || !text(static_cast<connect::TextReader&>(skill), "problem").empty();
    });
  }
  return any_unread ? k_could_not : k_done;
}

// Whether something of a setup could not be done.
bool any_failed(const connect::TextReader& result) {
  bool any = false;
  if (auto others = result.member("others")) {
    others->each_element([&](std::size_t, JsonReader& step) {
      any = any || text(static_cast<connect::TextReader&>(step), "state") == "failed";
    });
  }
  return any;
}

} // namespace

int exit_code_of(const Error& error) {
  switch (error.code) {
  case ErrorCode::invalid_argument:
    return k_usage;
  case ErrorCode::cancelled:
    return k_interrupted;
  default:
    return k_could_not;
  }
}

int exit_code_of(const Invocation& invocation, const connect::TextReader& result) {
  std::string_view name =
      invocation.command.method == nullptr ? "" : invocation.command.method->name;
  bool yes = true;
  if (name == "skill_install") {
    return code_of_install(invocation, result);
  }
  if (name == "skill_update") {
    return code_of_update(invocation, result);
  }
  if (name == "setup_apply" || name == "setup_remove") {
    return any_failed(result) ? k_could_not : k_done; // the rest is done
  }
  if (name == "skill_scan") {
    return code_of_scan(result);
  }
  if (name == "sync_status" && text(result, "state") == "stopped" && !invocation.flag("check")) {
    return k_could_not; // how the copies stand is not known
  }
  if (name == "trace_import" && invocation.flag("paths") && is_above_zero(result, "failed")) {
    return k_could_not; // not all that was named; the rest is done
  }
  if (name == "skill_eval" || name == "benchmark" || name == "skill_generate"
      || name == "eval_changed") {
    yes = text(result, "failed").empty();
  } else if (name == "skill_validate") {
    yes = is_true(result, "valid");
  } else if (name == "doctor" && invocation.flag("check")) {
    yes = is_true(result, "healthy");
  } else if (name == "sync_status" && invocation.flag("check")) {
    yes = all_in_sync(result, invocation.flag("skill"));
  }
  return yes ? k_done : k_answer_is_no;
}

} // namespace upskill::cli
