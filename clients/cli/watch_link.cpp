#include "clients/cli/watch_link.h"

#include "clients/connect/interrupt.h"
#include "clients/connect/socket.h"
#include "clients/connect/text_reader.h"
#include "protocol/codec/codec.h"
#include "protocol/methods.h"

#include <algorithm>
#include <utility>

namespace upskill::cli {
namespace {

constexpr long k_first_pause_ms = 100; // before the daemon is looked for again
constexpr long k_longest_pause_ms = 5000;
constexpr long k_send_limit_ms = 1000;
constexpr std::int64_t k_wait_ms = 30'000; // of the daemon, for news
constexpr long k_between_news_ms = 100;    // more often nobody can read it
constexpr long k_too_soon_ms = 1000;       // for an answer without news
constexpr long k_after_problem_ms = 5000;

} // namespace

WatchLink::WatchLink(Places places, std::string context, UniqueFd socket)
    : m_places(std::move(places))
    , m_context(std::move(context))
    , m_stream(std::move(socket))
    , m_pause_ms(k_first_pause_ms) {}

long WatchLink::limit_ms() const {
  return m_stream ? -1 : std::max(0L, m_next_try - connect::steady_ms());
}

void WatchLink::ask(std::string_view method, std::string arguments, OnAnswer on_answer) {
  connect::CallRequest request;
  request.method = method;
  request.arguments = std::move(arguments);
  request.context = m_context;
  request.version = UPSKILL_VERSION;
  request.id = ++m_calls;
  if (!m_stream) {
    on_answer(fail(ErrorCode::unavailable, "the daemon is not running", "`upskill daemon start`"));
    return;
  }
  if (m_asked.empty()) {
    m_heard_at = connect::steady_ms();
  }
  m_asked.emplace(request.id, std::move(on_answer));
  if (Result<void> sent = m_stream->send(connect::request_line(request), k_send_limit_ms); !sent) {
    lose(sent.error());
  }
}

void WatchLink::advance() {
  if (!m_stream && connect::steady_ms() >= m_next_try) {
    Result<UniqueFd> socket = connect::connect_to_daemon(m_places);
    if (!socket) {
      m_next_try = connect::steady_ms() + m_pause_ms;
      m_pause_ms = std::min(2 * m_pause_ms, k_longest_pause_ms);
      return;
    }
    m_stream.emplace(std::move(*socket));
  }
  while (m_stream) {
    Result<std::string_view> line = m_stream->receive(0);
    if (line) {
      m_heard_at = connect::steady_ms();
      take_line(*line);
    } else if (line.error().code == ErrorCode::timed_out
               || line.error().code == ErrorCode::cancelled) {
      return; // there is no more for now
    } else {
      lose(line.error());
    }
  }
}

long WatchLink::silent_ms() const {
  return m_asked.empty() ? 0 : connect::steady_ms() - m_heard_at;
}

void WatchLink::lose(const Error& error) {
  m_stream.reset();
  // Not reset by the connection itself: a daemon that takes it and ends at once is no better.
  m_next_try = connect::steady_ms() + m_pause_ms;
  m_pause_ms = std::min(2 * m_pause_ms, k_longest_pause_ms);
  for (auto& [id, on_answer] : std::exchange(m_asked, {})) {
    on_answer(fail(ErrorCode::unavailable, error.message, error.hint));
  }
}

void WatchLink::take_line(std::string_view line) {
  Result<connect::TextReader> message = connect::TextReader::open(line, "the daemon's answer");
  if (!message) {
    return lose(message.error());
  }
  std::optional<connect::CallAnswer> answer = connect::read_answer(*message);
  auto asked = answer ? m_asked.find(answer->id) : m_asked.end();
  if (asked != m_asked.end()) {
    OnAnswer on_answer = std::move(asked->second);
    m_asked.erase(asked);
    m_pause_ms = k_first_pause_ms;
    on_answer(answer->reply); // may ask again
  }
}

WatchNews::WatchNews(WatchLink& link,
                     std::vector<std::string> skills,
                     OnNews on_news,
                     OnProblem on_problem)
    : m_link(link)
    , m_skills(std::move(skills))
    , m_on_news(std::move(on_news))
    , m_on_problem(std::move(on_problem)) {}

long WatchNews::limit_ms() const {
  return m_is_asking || !m_link.is_open() ? -1 : std::max(0L, m_next - connect::steady_ms());
}

void WatchNews::advance() {
  if (!m_link.is_open()) {
    if (!m_is_lost) {
      m_is_lost = true;
      m_after.reset(); // another daemon counts anew
      m_next = 0;
      m_on_problem({ErrorCode::unavailable, "the daemon has gone", "`upskill daemon start`"});
    }
    return;
  }
  m_is_lost = false;
  long now = connect::steady_ms();
  if (m_is_asking || now < m_next) {
    return;
  }
  WatchParams params{m_skills, m_after, m_after ? std::optional(k_wait_ms) : std::nullopt};
  m_is_asking = true;
  m_asked_at = now;
  m_link.ask(k_watch_status.name, encode(params), [this](const auto& reply) { hear(reply); });
}

void WatchNews::hear(const Result<connect::CallReply>& reply) {
  m_is_asking = false;
  long now = connect::steady_ms();
  auto read = [&]() -> Result<WatchResult> {
    if (!reply) {
      return fail(reply.error());
    }
    TRY_ASSIGN(connect::TextReader reader, connect::TextReader::open(reply->result, "the answer"));
    return decode<WatchResult>(reader, "the daemon's answer");
  };
  Result<WatchResult> result = read();
  if (!m_link.is_open()) {
    return; // advance() tells
  }
  if (!result) {
    m_after.reset();
    m_next = now + k_after_problem_ms;
    bool is_another =
        reply && !reply->server_version.empty() && reply->server_version != UPSKILL_VERSION;
    m_on_problem(is_another ? Error{ErrorCode::unsupported,
                                    "the daemon is version " + reply->server_version
                                        + ", this is " UPSKILL_VERSION,
                                    "`upskill daemon stop` ends it; the next command starts the "
                                    "new one"}
                            : result.error());
    return;
  }
  bool is_news = result->generation != m_after;
  m_next = now + (is_news ? k_between_news_ms : k_too_soon_ms);
  if (!is_news && now - m_asked_at >= k_too_soon_ms) {
    m_next = now; // it has waited for us
  }
  m_after = result->generation;
  m_on_news(std::move(*result));
}

} // namespace upskill::cli
