#pragma once
#include "daemon/runtime/asio.h"

#include <exception>
#include <optional>

namespace upskill::tests {

// Runs one coroutine, and whatever it starts, until the loop has nothing left; what it throws is
// thrown on.
inline void run_coroutine(asio::io_context& io, asio::awaitable<void> body) {
  std::exception_ptr failure;
  asio::co_spawn(io, std::move(body), [&](std::exception_ptr thrown) { failure = thrown; });
  io.restart();
  io.run();
  if (failure) {
    std::rethrow_exception(failure);
  }
}

} // namespace upskill::tests
