#include "clients/cli/conversation.h"

#include "clients/cli/call_method.h"
#include "clients/cli/progress.h"
#include "clients/cli/translate.h"
#include "clients/connect/interrupt.h"
#include "clients/connect/process.h"
#include "clients/connect/socket.h"
#include "clients/connect/start.h"
#include "protocol/methods.h"

#include <unistd.h>

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

} // namespace

bool is_private(const Invocation& invocation, const Environment& environment) {
  return (invocation.run_private || environment("CI") == "true") && !looks_at_daemon(invocation);
}

Result<connect::CallReply> Conversation::call(const Invocation& invocation) {
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

Result<void> Conversation::wait_until_gone() const {
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

Result<connect::CallReply> Conversation::call_once(const Invocation& invocation) {
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

} // namespace upskill::cli
