#include "clients/cli/call_method.h"

#include "clients/cli/ask.h"
#include "clients/cli/complain.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/json_output.h"
#include "clients/cli/progress.h"
#include "clients/cli/render.h"
#include "clients/cli/text.h"
#include "clients/cli/translate.h"
#include "clients/connect/call.h"
#include "clients/connect/context.h"
#include "clients/connect/interrupt.h"
#include "clients/connect/process.h"
#include "clients/connect/socket.h"
#include "clients/connect/start.h"
#include "protocol/codec/codec.h"
#include "protocol/methods.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace upskill::cli {
namespace {

// Without an answer while the daemon gives signs of life; without those it is 10 s.
constexpr long k_quick_silence_ms = 60'000;
constexpr long k_slow_silence_ms = 600'000;
constexpr long k_stop_silence_ms = 4000; // of a daemon that does not even take the order to stop
constexpr long k_stop_limit_ms = 5000;   // it stops within 2 s, or has work that cannot be broken

// Commands about the daemon that must not start one.
bool looks_at_daemon(const Invocation& invocation) {
  return invocation.command.method->name.starts_with("daemon_");
}

bool is_private(const Invocation& invocation, const Environment& environment) {
  return (invocation.run_private || environment("CI") == "true") && !looks_at_daemon(invocation);
}

Result<UniqueFd> open_connection(const Invocation& invocation, const Environment& environment) {
  TRY_ASSIGN(Places places, find_places(environment));
  if (looks_at_daemon(invocation)) {
    return connect::connect_to_daemon(places);
  }
  if (is_private(invocation, environment)) {
    return connect::start_private_daemon(places, environment);
  }
  return connect::connect_or_start(places, environment);
}

// One command's talk with the daemon, over one connection.
class Conversation {
public:
  Conversation(const Invocation& invocation, const Screen& screen, const Environment& environment)
      : m_invocation(invocation)
      , m_screen(screen)
      , m_environment(environment) {}

  Result<connect::CallReply> call(const Invocation& invocation) {
    Result<connect::CallReply> reply = call_once(invocation);
    bool lost = !reply && reply.error().code == ErrorCode::unavailable;
    if (lost && m_stream && invocation.command.method->effect == Effect::reads
        && !looks_at_daemon(invocation) && !invocation.flag("fresh")) {
      // It was met on its way out; asking again changes nothing, and what models answered is kept:
      // only what asks them anew would be paid for twice.
      m_stream.reset();
      reply = call_once(invocation);
    }
    if (!reply) {
      return fail(in_words_of(invocation.command, std::move(reply).error()));
    }
    return reply;
  }

  // The lock is free, and another may start, only when the process has gone.
  Result<void> wait_until_gone() const {
    if (m_daemon <= 0 || connect::wait_for_end(m_daemon, k_stop_limit_ms)) {
      return {};
    }
    if (connect::interrupted_by() != 0) {
      return fail(ErrorCode::cancelled, "interrupted");
    }
    std::string process = std::to_string(m_daemon);
    return fail(ErrorCode::timed_out,
                "the daemon (process " + process + ") was told to stop 5 seconds ago and has not",
                "`kill -9 " + process + "` ends it; no version of a skill is lost by that");
  }

private:
  Result<connect::CallReply> call_once(const Invocation& invocation) {
    if (!m_stream) {
      TRY_ASSIGN(UniqueFd socket, open_connection(m_invocation, m_environment));
      m_daemon = connect::peer_of(socket.get());
      m_stream.emplace(std::move(socket));
    }
    connect::CallRequest request;
    request.method = invocation.command.method->name;
    request.arguments = invocation.arguments();
    request.context = context_of(invocation, m_screen, m_environment);
    request.version = UPSKILL_VERSION;
    request.id = ++m_calls;
    request.silence_ms =
        invocation.command.method->pace == Pace::slow ? k_slow_silence_ms : k_quick_silence_ms;
    if (invocation.command.method->name == k_daemon_stop.name) {
      request.silence_ms = k_stop_silence_ms;
      request.probe_ms = 0;
    }
    Progress progress(::isatty(2) != 0, m_screen.columns, m_screen.unicode);
    return connect::call(*m_stream,
                         request,
                         [&](double done, std::optional<double> total, const std::string& message) {
                           progress.report(done, total, message);
                         });
  }

  const Invocation& m_invocation;
  const Screen& m_screen;
  const Environment& m_environment;
  std::optional<connect::LineStream> m_stream = {};
  std::int64_t m_calls = 0;
  pid_t m_daemon = 0;
};

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

enum class Decision { go_on, nothing_to_do, declined, interrupted };

// Shows what would happen and asks. On stderr where stdout is kept for JSON.
Result<Decision>
decide(Conversation& conversation, const Invocation& invocation, const Screen& screen) {
  Invocation plan = invocation;
  plan.values["dry_run"] = {""};
  TRY_ASSIGN(connect::CallReply reply, conversation.call(plan));
  TRY_ASSIGN(connect::TextReader result, connect::TextReader::open(reply.result, "the plan"));
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

// What is not taken back, for who cannot be asked.
std::string_view what_it_does(const MethodInfo& method) {
  if (method.name == k_trace_purge.name) {
    return "forgets sessions";
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

bool would_be_forgotten(const Invocation& invocation, const Environment& environment) {
  // What it would record, and each version that it would replace, ends with a private daemon's
  // state: neither "sync is off" nor "nothing is lost" would be true. What a generation leaves is
  // files; where it would replace a skill, the daemon refuses by itself.
  return is_private(invocation, environment) && !names_state(environment)
         && invocation.command.method->name != k_skill_generate.name
         && invocation.command.method->effect != Effect::reads && !invocation.flag("dry_run");
}

bool plans_nothing(const Invocation& invocation, const connect::TextReader& plan) {
  // A result that has no list of steps is its own plan.
  auto steps = plan.member("steps");
  bool any = !steps;
  if (steps) {
    steps->each_element([&](std::size_t, JsonReader&) { any = true; });
  }
  return !any && !may_act_without_steps(*invocation.command.method);
}

bool asks_first(const Invocation& invocation) {
  // What an import adds, a purge takes away; looking through everything twice would only take time.
  // Who has a skill generated has said what to do, and what is drafted waits in the inbox.
  constexpr std::array k_unasked{
      k_trace_import.name, k_skill_generate.name, k_generate_propose.name};
  return invocation.command.method->effect != Effect::reads
         && std::ranges::find(k_unasked, invocation.command.method->name) == k_unasked.end()
         && has_field(invocation.command, "dry_run") && !invocation.flag("dry_run")
         && !invocation.yes;
}

bool needs_a_word(const Invocation& invocation) {
  // Everything else that changes something can be undone with `sync undo`; switching sync on makes
  // the daemon write to folders that it never touched before, and what is purged is gone.
  std::string_view name = invocation.command.method->name;
  return asks_first(invocation)
         && (name == "sync_enable" || name == k_trace_purge.name || name == k_inbox_decline.name);
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
  if (asks_first(invocation) && can_ask()) {
    Result<Decision> decision = decide(conversation, invocation, screen);
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
  Result<connect::CallReply> reply = conversation.call(invocation);
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
