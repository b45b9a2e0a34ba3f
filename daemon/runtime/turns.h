#pragma once
#include "daemon/runtime/condition.h"

#include <algorithm>
#include <cstdint>
#include <deque>

namespace upskill::runtime {

// Lets coroutines do something one after the other, in the order in which they asked.
// Owner: whatever they share. Thread: that of its executor only. Lifetime: longer than every
// ticket.
class Turns {
public:
  explicit Turns(asio::any_io_executor executor)
      : m_moved(std::move(executor)) {}

  // A place in the line, from the constructor to the destructor. A coroutine that is cancelled
  // while it waits gives up its place by that, and nobody overtakes those before it.
  class Ticket {
  public:
    explicit Ticket(Turns& turns)
        : m_turns(turns)
        , m_number(++turns.m_last_number) {
      m_turns.m_line.push_back(m_number);
    }

    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    ~Ticket() {
      std::erase(m_turns.m_line, m_number);
      m_turns.m_moved.notify_all(); // all: each looks whether it is first
    }

    bool is_first() const { return m_turns.m_line.front() == m_number; }

    // Returns when it is this one's turn.
    asio::awaitable<void> called() {
      while (!is_first()) {
        co_await m_turns.m_moved.wait();
      }
    }

  private:
    Turns& m_turns;
    std::uint64_t m_number;
  };

  // Whether somebody has the turn or waits for it.
  bool busy() const { return !m_line.empty(); }

private:
  Condition m_moved;
  std::deque<std::uint64_t> m_line;
  std::uint64_t m_last_number = 0;
};

} // namespace upskill::runtime
