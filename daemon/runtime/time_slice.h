#pragma once
#include "daemon/runtime/offload.h"

#include <chrono>
#include <utility>

namespace upskill::runtime {

// How long one piece of work on the pool goes on while there is more of it; then other clients, and
// other calls of the same one, have their turn. Going back and forth costs a hundredth of it.
inline constexpr std::chrono::milliseconds k_time_slice(2);

// Calls `step` once, and again until it says that nothing is left (false) or the time is over.
// Whether something is left.
template <class Step, class Now> bool run_slice(Step& step, Now now) {
  auto end = now() + k_time_slice;
  while (step()) {
    if (now() >= end) {
      return true;
    }
  }
  return false;
}

// The same on the pool. To be awaited until it yields false; `step` belongs to the caller.
template <class Step> asio::awaitable<bool> offload_slice(Pool::Share share, Step& step) {
  auto slice = [&step] { return run_slice(step, std::chrono::steady_clock::now); };
  return offload(share, std::move(slice));
}

} // namespace upskill::runtime
