#pragma once
#include "daemon/runtime/condition.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace upskill::runtime {

// A queue between coroutines of one thread that never holds more than `capacity` values: a full one
// is an answer to the sender ("busy"), not growth.
// Owner: the receiver's side, by value. Thread: that of its executor only. Lifetime: longer than
// every receive().
template <class T> class Channel {
public:
  Channel(asio::any_io_executor executor, std::size_t capacity)
      : m_readable(std::move(executor))
      , m_capacity(capacity) {}

  // False when it is full or closed; the value is then unchanged in the caller's hands.
  [[nodiscard]] bool try_send(T&& value) {
    if (m_closed || m_values.size() >= m_capacity) {
      return false;
    }
    m_values.push_back(std::move(value));
    m_readable.notify_one();
    return true;
  }

  // The oldest value, waiting for one; nothing once it is closed and drained.
  asio::awaitable<std::optional<T>> receive() {
    while (m_values.empty() && !m_closed) {
      co_await m_readable.wait();
    }
    if (m_values.empty()) {
      co_return std::nullopt;
    }
    std::optional<T> value(std::move(m_values.front()));
    m_values.pop_front();
    co_return value;
  }

  // Takes no more; what lies in it can still be received.
  void close() {
    m_closed = true;
    m_readable.notify_all();
  }

  std::size_t size() const { return m_values.size(); }

  bool closed() const { return m_closed; }

private:
  Condition m_readable;
  std::size_t m_capacity;
  std::deque<T> m_values;
  bool m_closed = false;
};

} // namespace upskill::runtime
