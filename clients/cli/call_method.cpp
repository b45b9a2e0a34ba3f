#include "clients/cli/call_method.h"

#include "clients/cli/ask.h"
#include "clients/cli/complain.h"
#include "clients/cli/conversation.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/install_asking.h"
#include "clients/cli/json_output.h"
#include "clients/cli/render.h"
#include "clients/cli/text.h"
#include "clients/connect/call.h"
#include "clients/connect/context.h"
#include "clients/connect/interrupt.h"
#include "protocol/codec/codec.h"
#include "protocol/methods.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace upskill::cli {
namespace {

void warn_of_version(const connect::CallReply& reply, const Invocation& invocation) {
  if (!reply.server_version.empty() && reply.server_version != UPSKILL_VERSION) {
    warn("the daemon is version " + reply.server_version + ", this is " UPSKILL_VERSION,
         "`upskill daemon stop` ends it; the next command starts the new one",
         invocation.no_color);
  }
}

void print_result(const Invocation& invocation,
                  const Screen& screen,
                  const connect::CallReply& reply,
                  const connect::TextReader& result) {
  if (invocation.json) {
    print_json(reply.result);
    return;
  }
  Page page(screen);
  if (Result<void> shown = render(page, invocation, result); !shown) {
    // A daemon of another version may say more than we know; its document still tells.
    warn(shown.error().message, "this is the result as it came", invocation.no_color);
    page = Page(screen);
    page.line(clean_block(connect::indented_json(reply.result)));
  }
  page.print();
}

// A person may settle a conflict, or have a deletion carried out, with no copy to write now.
bool may_act_without_steps(const MethodInfo& method) {
  return method.effect == Effect::destructive || method.name.ends_with("able"); // sync_enable, ...
}

// Whether something in a list of this document is so.
template <class F>
bool any_in(const connect::TextReader& document, std::string_view list, F is_so) {
  bool any = false;
  if (auto elements = document.member(list)) {
    elements->each_element([&](std::size_t, JsonReader& element) {
      any = any || is_so(static_cast<connect::TextReader&>(element));
    });
  }
  return any;
}

enum class Decision { go_on, nothing_to_do, declined, interrupted };

// Shows what would happen and asks. On stderr where stdout is kept for JSON. What a plan has
// fetched is what will be taken: the invocation comes to name it.
Result<Decision> decide(Conversation& conversation, Invocation& invocation, const Screen& screen) {
  Invocation plan = invocation;
  plan.values["dry_run"] = {""};
  TRY_ASSIGN(connect::CallReply reply, conversation.call(plan));
  TRY_ASSIGN(connect::TextReader result, connect::TextReader::open(reply.result, "the plan"));
  auto token = result.member("plan");
  if (token && has_field(invocation.command, "plan")) {
    invocation.values["plan"] = {token->string().value_or("")};
  }
  bool switches = invocation.command.method->name.ends_with("able"); // sync_enable, sync_disable
  if (plans_nothing(invocation, result)) {
    return Decision::nothing_to_do;
  }
  Page page(screen);
  TRY(render(page, plan, result));
  page.line();
  if (invocation.json) {
    write_all(2, page.text(Stream::out));
  } else {
    page.print();
  }
  switch (ask(switches ? "Do it?" : "Do this?")) {
  case Reply::yes:
    return Decision::go_on;
  case Reply::no:
    return Decision::declined;
  case Reply::interrupted:
    break;
  }
  return Decision::interrupted;
}

// The same for `install`, which may come to more than one order; none where nothing is wanted.
Result<Decision> decide_orders(Conversation& conversation,
                               std::vector<Invocation>& orders,
                               const Screen& screen,
                               const Environment& environment) {
  Result<std::vector<Invocation>> decided =
      ask_install(conversation, orders.front(), screen, environment);
  if (!decided) {
    if (connect::interrupted_by() != 0) {
      return Decision::interrupted;
    }
    return fail(std::move(decided).error());
  }
  if (decided->empty()) {
    return Decision::declined;
  }
  orders = std::move(*decided);
  return Decision::go_on;
}

// What is not taken back, for who cannot be asked.
std::string_view what_it_does(const MethodInfo& method) {
  if (method.name == k_trace_purge.name) {
    return "forgets sessions";
  }
  if (method.name == k_setup_apply.name || method.name == k_setup_remove.name) {
    return "edits the configuration of your agents";
  }
  return method.name == k_inbox_decline.name ? "throws a skill away" : "writes to agents' folders";
}

} // namespace

std::string
context_of(const Invocation& invocation, const Screen& screen, const Environment& environment) {
  CallContext context = connect::collect_context(environment);
  context.version = UPSKILL_VERSION;
  if (!invocation.config.empty()) {
    context.config = normalized_path(invocation.config, context.cwd);
  }
  context.columns = static_cast<std::int64_t>(screen.columns);
  context.interactive = can_ask() && !invocation.yes;
  return encode(context);
}

bool only_tells(const Invocation& invocation) {
  std::string_view name = invocation.command.method->name;
  return invocation.flag("dry_run") || (name == k_skill_update.name && invocation.flag("check"))
         || (name == k_skill_rollback.name && invocation.flag("list"));
}

bool would_be_forgotten(const Invocation& invocation, const Environment& environment) {
  // What it would record, and each version that it would replace, ends with a private daemon's
  // state: neither "sync is off" nor "nothing is lost" would be true. What these leave is files;
  // where a generation would replace a skill, the daemon refuses by itself.
  constexpr std::array k_leave_files{k_skill_generate.name, k_skill_pack.name, k_skill_init.name};
  return is_private(invocation, environment) && !names_state(environment)
         && std::ranges::find(k_leave_files, invocation.command.method->name) == k_leave_files.end()
         && invocation.command.method->effect != Effect::reads && !only_tells(invocation);
}

bool plans_nothing(const Invocation& invocation, const connect::TextReader& plan) {
  std::string_view name = invocation.command.method->name;
  if (name == k_skill_update.name) {
    return !any_in(plan, "skills", [](const connect::TextReader& skill) {
      auto state = skill.member("state");
      std::string text = state ? state->string().value_or("") : "";
      return text == "available" || text == "updated" || text == "merged" || text == "conflict";
    });
  }
  auto any = [](const connect::TextReader&) { return true; };
  if (name == k_setup_remove.name) {
    return !any_in(plan, "steps", any);
  }
  if (name == k_skill_remove.name) {
    return !any_in(plan, "skills", [&](const connect::TextReader& skill) {
      return any_in(skill, "paths", any);
    });
  }
  // A result that has no list of steps is its own plan.
  return plan.member("steps") && !any_in(plan, "steps", any)
         && !may_act_without_steps(*invocation.command.method);
}

bool asks_first(const Invocation& invocation) {
  // What an import adds, a purge takes away; looking through everything twice would only take time.
  // Who has a skill generated has said what to do, and what is drafted waits in the inbox.
  constexpr std::array k_unasked{
      k_trace_import.name, k_skill_generate.name, k_generate_propose.name};
  return invocation.command.method->effect != Effect::reads
         && std::ranges::find(k_unasked, invocation.command.method->name) == k_unasked.end()
         && has_field(invocation.command, "dry_run") && !only_tells(invocation) && !invocation.yes;
}

bool needs_a_word(const Invocation& invocation) {
  // Everything else that changes something can be undone with `sync undo`; switching sync on makes
  // the daemon write to folders that it never touched before, and what is purged is gone.
  std::string_view name = invocation.command.method->name;
  return asks_first(invocation)
         && (name == "sync_enable" || name == k_trace_purge.name || name == k_inbox_decline.name
             || name == k_setup_apply.name || name == k_setup_remove.name);
}

int call_method(const Invocation& invocation,
                const Screen& screen,
                const Environment& environment) {
  auto end_with = [&](const Error& error) {
    if (error.code != ErrorCode::cancelled || connect::interrupted_by() == 0) {
      complain(error, invocation.no_color);
    }
    if (connect::interrupted_by() != 0) {
      if (has_field(invocation.command, "fresh")) {
        write_all(2,
                  "\nWhat models answered is kept: the same command"
                      + std::string(invocation.flag("fresh") ? " without `--fresh`" : "")
                      + " goes on from there.\n");
      }
      return k_interrupted;
    }
    return exit_code_of(error);
  };
  if (!invocation.config.empty() && ::access(invocation.config.c_str(), R_OK) != 0) {
    Error error = system_error(errno, "the configuration `" + invocation.config + "`");
    error.hint = "`--config` takes the path of a file that can be read";
    return end_with(error);
  }
  if (would_be_forgotten(invocation, environment)) {
    return end_with({ErrorCode::refused,
                     "`upskill " + invocation.command.words
                         + "` changes what the daemon remembers, and one for this command alone "
                           "forgets it",
                     invocation.run_private
                         ? "leave out `--private`, or set XDG_STATE_HOME to a folder that stays"
                         : "unset CI, or set XDG_STATE_HOME to a folder that stays"});
  }
  for (const std::string& option : invocation.moot) {
    warn("`" + option + "` is for jobs on other machines, and everything runs here",
         "leave it out",
         invocation.no_color);
  }
  if (needs_a_word(invocation) && !can_ask()) {
    return end_with({ErrorCode::invalid_argument,
                     "`upskill " + invocation.command.words + "` asks before it "
                         + std::string(what_it_does(*invocation.command.method))
                         + ", and nobody can be asked here",
                     "`--yes` does it without asking; `--dry-run` only shows the plan"});
  }
  connect::catch_interrupts();
  Conversation conversation(invocation, screen, environment);
  std::vector<Invocation> orders{invocation};
  if (asks_first(invocation) && can_ask()) {
    Result<Decision> decision = invocation.command.method->name == k_skill_install.name
                                    ? decide_orders(conversation, orders, screen, environment)
                                    : decide(conversation, orders.front(), screen);
    if (!decision) {
      return end_with(decision.error());
    }
    if (*decision == Decision::interrupted) {
      return k_interrupted;
    }
    if (*decision == Decision::declined) {
      write_all(2, "Nothing was changed.\n");
      return k_done;
    }
  }
  Result<connect::CallReply> reply = orders.size() == 1 ? conversation.call(orders.front())
                                                        : carry_out_install(conversation, orders);
  if (!reply) {
    return end_with(reply.error());
  }
  warn_of_version(*reply, invocation);
  Result<connect::TextReader> result =
      connect::TextReader::open(reply->result, "the daemon's answer");
  if (!result) {
    return end_with(result.error());
  }
  print_result(invocation, screen, *reply, *result);
  if (invocation.command.method->name == k_daemon_stop.name) {
    if (Result<void> gone = conversation.wait_until_gone(); !gone) {
      return end_with(gone.error());
    }
  }
  return exit_code_of(invocation, *result);
}

} // namespace upskill::cli
