#pragma once
#include "daemon/runtime/condition.h"

#include <algorithm>
#include <cstddef>
#include <deque>

namespace upskill::runtime {

// Lets coroutines do something one after the other, or a few at a time, in the order in which they
// asked. Owner: whatever they share. Thread: that of its executor only. Lifetime: longer than every
// ticket.
class Turns {
public:
  explicit Turns(asio::any_io_executor executor, std::size_t at_once = 1)
      : m_executor(std::move(executor))
      , m_at_once(at_once) {}

  // A place in the line, from the constructor to the destructor. A coroutine that is cancelled
  // while it waits gives up its place by that, and nobody overtakes those before it.
  class Ticket {
  public:
    explicit Ticket(Turns& turns)
        : m_turns(turns)
        , m_moved(turns.m_executor) {
      m_turns.m_line.push_back(this);
    }

    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    ~Ticket() {
      std::erase(m_turns.m_line, this);
      m_turns.call_next();
    }

    bool is_called() const {
      const auto& line = m_turns.m_line;
      auto end = line.begin() + static_cast<std::ptrdiff_t>(m_turns.called());
      return std::find(line.begin(), end, this) != end;
    }

    // Returns when it is this one's turn.
    asio::awaitable<void> called() {
      while (!is_called()) {
        co_await m_moved.wait();
      }
    }

  private:
    friend Turns;

    Turns& m_turns;
    Condition m_moved; // its own: of a long line, one place moves up and the others sleep on
  };

  // Whether somebody has the turn or waits for it.
  bool busy() const { return !m_line.empty(); }

private:
  // How many of the line have their turn.
  std::size_t called() const { return std::min(m_at_once, m_line.size()); }

  void call_next() {
    if (!m_line.empty()) {
      m_line[called() - 1]->m_moved.notify_all();
    }
  }

  asio::any_io_executor m_executor;
  std::size_t m_at_once;
  std::deque<Ticket*> m_line = {};
};

} // namespace upskill::runtime
