#include "clients/cli/watch_live.h"

#include "clients/cli/exit_code.h"
#include "clients/cli/watch_orders.h"
#include "clients/cli/watch_picture.h"
#include "clients/connect/interrupt.h"
#include "clients/connect/text_reader.h"
#include "protocol/codec/codec.h"
#include "protocol/methods.h"

#include <algorithm>
#include <array>
#include <utility>

namespace upskill::cli {
namespace {

constexpr long k_refresh_ms = 5000;       // how often sync and agents are asked about without news
constexpr long k_least_refresh_ms = 1000; // and with them
constexpr long k_silence_ms = 12'000;     // of the daemon, which is asked more often than that
constexpr long k_escape_ms = 50;          // within which the rest of a sequence comes
constexpr std::int64_t k_entries = 30;    // of the sync log

template <class T> Result<T> read_reply(const Result<connect::CallReply>& reply) {
  if (!reply) {
    return fail(reply.error());
  }
  TRY_ASSIGN(connect::TextReader reader, connect::TextReader::open(reply->result, "the answer"));
  return decode<T>(reader, "result");
}

long sooner(long a, long b) {
  return a < 0 ? b : b < 0 ? a : std::min(a, b);
}

} // namespace

WatchLive::WatchLive(WatchLink& link,
                     WatchTerminal& terminal,
                     std::vector<std::string> skills,
                     Screen screen)
    : m_link(link)
    , m_terminal(terminal)
    , m_skills(std::move(skills))
    , m_screen(std::move(screen))
    , m_news(
          link,
          m_skills,
          [this](WatchResult result) {
            take_news(m_view, std::move(result));
            m_view.trouble.clear();
            m_next_refresh = std::min(m_next_refresh, m_refreshed_at + k_least_refresh_ms);
          },
          [this](const Error& error) {
            m_view.trouble = error.code == ErrorCode::unavailable
                                 ? "The daemon has gone; looking for it again. "
                                   "`upskill daemon start` starts it."
                                 : error.message + (error.hint.empty() ? "" : "; " + error.hint);
            m_next_refresh = 0;
          }) {}

int WatchLive::run() {
  for (;;) {
    m_link.advance();
    m_news.advance();
    refresh();
    note_silence();
    draw_now();
    if (stdout_problem() != 0) {
      return k_done; // what it is, is told at the end
    }
    if (connect::interrupted_by() != 0) {
      return k_interrupted; // while something was read
    }
    std::array<pollfd, 3> entries{pollfd{m_terminal.keys(), POLLIN, 0},
                                  pollfd{m_terminal.signals(), POLLIN, 0},
                                  pollfd{m_link.descriptor(), POLLIN, 0}};
    int ready = connect::wait(entries, limit_ms());
    if (ready < 0) {
      return k_interrupted;
    }
    if (entries[1].revents != 0) {
      m_terminal.take_signals();
    }
    if (entries[0].revents != 0 && !take_keys()) {
      return k_done;
    }
    if (ready == 0 && m_keys.is_waiting() && !press_keys(m_keys.give_up())) {
      return k_done;
    }
  }
}

long WatchLive::limit_ms() const {
  long limit = sooner(m_link.limit_ms(), m_news.limit_ms());
  if (m_link.is_open()) {
    long due = m_is_refreshing ? k_silence_ms : std::max(0L, m_next_refresh - connect::steady_ms());
    limit = sooner(limit, due);
  }
  return m_keys.is_waiting() ? sooner(limit, k_escape_ms) : limit;
}

void WatchLive::draw_now() {
  WindowSize size = m_terminal.size();
  Screen screen = m_screen;
  screen.columns = size.columns;
  WatchPicture picture = draw(m_view, screen, size.lines);
  m_view.rows = std::max<std::size_t>(picture.rows, 1);
  m_terminal.show(picture.lines);
}

bool WatchLive::take_keys() {
  Result<std::string> bytes = m_terminal.read_keys();
  return bytes && press_keys(m_keys.feed(*bytes));
}

bool WatchLive::press_keys(const std::vector<Key>& keys) {
  for (const Key& key : keys) {
    WatchOrder order = press(m_view, key);
    if (order.act == WatchAct::quit) {
      return false;
    }
    carry_out(order);
  }
  return true;
}

void WatchLive::carry_out(const WatchOrder& order) {
  if (order.act == WatchAct::none) {
    return;
  }
  WatchCall call = call_of(order, m_view);
  m_link.ask(call.method, std::move(call.arguments), [this, order](const auto& reply) {
    carry_out(hear(m_view, order, reply));
  });
}

// Sync and agents have no news to wait for.
void WatchLive::refresh() {
  long now = connect::steady_ms();
  if (!m_link.is_open() || m_is_refreshing || now < m_next_refresh) {
    return;
  }
  m_is_refreshing = true;
  m_refreshed_at = now;
  m_next_refresh = now + k_refresh_ms;
  m_link.ask(k_daemon_status.name, "{}", [this](const auto& reply) {
    m_is_refreshing = false;
    if (Result<DaemonStatusResult> status = read_reply<DaemonStatusResult>(reply)) {
      m_view.status = std::move(*status);
    }
  });
  SyncLogParams params{m_skills.size() == 1 ? m_skills.front() : std::string(), k_entries};
  m_link.ask(k_sync_log.name, encode(params), [this](const auto& reply) {
    if (Result<SyncLogResult> log = read_reply<SyncLogResult>(reply)) {
      m_view.synced = std::move(log->entries);
    }
  });
}

void WatchLive::note_silence() {
  constexpr std::string_view k_silent = "The daemon does not answer.";
  if (m_link.is_open() && m_is_refreshing && m_link.silent_ms() >= k_silence_ms) {
    m_view.trouble = k_silent;
  } else if (m_view.trouble == k_silent) {
    m_view.trouble.clear();
  }
}

} // namespace upskill::cli
