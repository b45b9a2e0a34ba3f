#pragma once
#include "daemon/runtime/condition.h"
#include "daemon/runtime/timers.h"
#include "daemon/services.h"
#include "daemon/session.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace upskill::daemon {

// Every connected client.
// Owner: Daemon. Thread: the daemon's. Lifetime: longer than the io_context runs; finish() comes
// first.
class Sessions {
public:
  // `on_empty` is called when the last client has gone.
  Sessions(Services& services, std::function<void()> on_empty);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  // Takes over a connected socket that does not block. One client too many, or one that comes while
  // the daemon stops, is told so and closed.
  void add(UniqueFd socket);

  std::size_t size() const { return m_sessions.size(); }

  // To the clients that asked for it.
  void tell(const mcp::Change& change);

  // Takes no more messages and waits until nothing is in flight, at most that long.
  asio::awaitable<void> drain(runtime::Clock::duration limit);
  // Answers what is left with an error, closes everybody and waits until nothing of them is left,
  // at most that long; size() then tells whether it is so.
  asio::awaitable<void> finish(runtime::Clock::duration limit);

  // For ClientSession: it wants its tick() within a second; large buffers were given back;
  // something about it has changed.
  void wants_tick();

  void memory_was_used() { m_trims = true; }

  void changed(ClientSession& session);

private:
  void tick();
  void remove_ended();
  bool all_idle() const;

  bool none_left() const { return m_sessions.empty(); }

  Services& m_services;
  std::function<void()> m_on_empty;
  // Ordered, and its nodes stay where they are.
  std::map<std::uint64_t, std::unique_ptr<ClientSession>> m_sessions;
  runtime::Alarm m_tick;
  runtime::Condition m_changed;
  bool m_removal_is_due = false;
  bool m_is_stopping = false;
  bool m_trims = false;
};

} // namespace upskill::daemon
