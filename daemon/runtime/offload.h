#pragma once
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace upskill::runtime {

namespace detail {

// void has no values: an offloaded void function yields this.
template <class T> using Regular = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
asio::awaitable<T> finish_offload(asio::awaitable<std::optional<Regular<T>>> operation) {
  std::optional<Regular<T>> value = co_await std::move(operation);
  if constexpr (!std::is_void_v<T>) {
    co_return std::move(*value);
  }
}

} // namespace detail

// Runs a blocking callable on the pool, in its client's turn, and completes on the caller's own
// executor, with what it returned or threw. The caller's coroutine never changes thread. The wait
// cannot be cut short, so `work` may use the caller's data; a cancellation shows at the caller's
// next co_await.
// Returns asio::awaitable<what work() returns>. Name the callable before the co_await (g++ 12).
template <class F> auto offload(Pool::Share share, F work) {
  using T = std::invoke_result_t<F&>;
  using Value = detail::Regular<T>;
  auto initiate = [share](auto handler, F job) {
    Pool& pool = share.pool;
    auto home = asio::make_work_guard(handler);
    pool.m_pending.fetch_add(1, std::memory_order_relaxed);
    auto run = [&pool,
                job = std::move(job),
                handler = std::move(handler),
                home = std::move(home)]() mutable {
      std::exception_ptr failure;
      std::optional<Value> value;
      try {
        if constexpr (std::is_void_v<T>) {
          job();
          value.emplace();
        } else {
          value.emplace(job());
        }
      } catch (...) {
        failure = std::current_exception();
      }
      pool.m_pending.fetch_sub(1, std::memory_order_relaxed);
      auto executor = home.get_executor();
      auto deliver = [handler = std::move(handler),
                      failure = std::move(failure),
                      value = std::move(value),
                      home = std::move(home)]() mutable {
        std::move(handler)(std::move(failure), std::move(value));
      };
      asio::post(executor, std::move(deliver));
    };
    pool.post(share.client, std::move(run));
  };
  return detail::finish_offload<T>(
      asio::async_initiate<const asio::use_awaitable_t<>,
                           void(std::exception_ptr, std::optional<Value>)>(
          std::move(initiate), asio::use_awaitable, std::move(work)));
}

// The same for work of the daemon's own.
template <class F> auto offload(Pool& pool, F work) {
  return offload(pool.of(0), std::move(work));
}

} // namespace upskill::runtime
