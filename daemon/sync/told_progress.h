#pragma once
#include "daemon/runtime/timers.h"
#include "skills/sync/engine.h"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>

#include <utility>

namespace upskill::daemon {

// What the engine says on its thread, said on the daemon's, and not for every skill.
inline sync::Progress told_progress(boost::asio::any_io_executor executor, sync::Progress tell) {
  constexpr auto k_told_every = std::chrono::milliseconds(100);
  if (!tell) {
    return {};
  }
  return [executor = std::move(executor),
          tell = std::move(tell),
          k_told_every,
          next = runtime::Clock::time_point()](std::size_t done, std::size_t of) mutable {
    runtime::Clock::time_point now = runtime::Clock::now();
    if (now >= next || done == of) {
      next = now + k_told_every;
      boost::asio::post(executor, [tell, done, of] { tell(done, of); });
    }
  };
}

} // namespace upskill::daemon
