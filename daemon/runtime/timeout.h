#pragma once
#include "daemon/runtime/task_group.h"
#include "daemon/runtime/timers.h"
#include "protocol/base/result.h"

#include <memory>
#include <optional>
#include <string>

namespace upskill::runtime {

namespace detail {

// The clock beside one limited wait: cancels the task when the time is up, and hands on a
// cancellation that comes from outside.
class Limit {
public:
  Limit(const asio::any_io_executor& executor, Clock::duration limit);

  void cancel() { m_signal.emit(asio::cancellation_type::terminal); }

  asio::cancellation_slot slot() { return m_signal.slot(); }

  bool expired() const { return m_expired; }

private:
  asio::cancellation_signal m_signal;
  bool m_expired = false;
  Alarm m_alarm;
};

Error timeout_error(const std::string& what, Clock::duration limit);

template <class T>
asio::awaitable<void> keep_result(asio::awaitable<Result<T>> task, std::optional<Result<T>>* kept) {
  Result<T> result = co_await std::move(task);
  kept->emplace(std::move(result));
}

} // namespace detail

// The task's own result, or timed_out ("`what` did not answer within 2 s") when it took longer: the
// task is then cancelled and waited for, so it never outlives the call. A task that ends with a
// value all the same keeps it. What else it throws is thrown on.
template <class T>
asio::awaitable<Result<T>>
with_timeout(Clock::duration limit, asio::awaitable<Result<T>> task, std::string what) {
  asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::cancellation_state outside = co_await asio::this_coro::cancellation_state;
  auto clock = std::make_shared<detail::Limit>(executor, limit);
  if (outside.slot().is_connected()) {
    // Weak: a loop that ends takes this frame with it, and may leave the slot.
    outside.slot().assign([weak = std::weak_ptr(clock)](asio::cancellation_type) {
      if (auto here = weak.lock()) {
        here->cancel();
      }
    });
  }
  std::optional<Result<T>> result;
  asio::awaitable<void> kept = detail::keep_result(std::move(task), &result);
  auto token = asio::bind_cancellation_slot(clock->slot(), asio::as_tuple(asio::use_awaitable));
  auto [failure] = co_await asio::co_spawn(executor, std::move(kept), token);
  if (outside.slot().is_connected()) {
    outside.slot().clear();
  }
  if (result) {
    co_return std::move(*result);
  }
  if (clock->expired() && is_cancellation(failure)) {
    co_return tl::make_unexpected(detail::timeout_error(what, limit));
  }
  std::rethrow_exception(failure);
}

} // namespace upskill::runtime
