#pragma once
#include <utility>

// AWAIT(Result<X> x, f()) names the awaitable before it waits for it: g++ 12 destroys temporaries
// twice in a full expression that contains co_await (docs: style, 4).
#define UPSKILL_AWAIT_CONCAT_(a, b) a##b
#define UPSKILL_AWAIT_CONCAT(a, b) UPSKILL_AWAIT_CONCAT_(a, b)
#define AWAIT(target, ...)                                                                         \
  auto UPSKILL_AWAIT_CONCAT(awaited_, __LINE__) = __VA_ARGS__;                                     \
  target = co_await std::move(UPSKILL_AWAIT_CONCAT(awaited_, __LINE__))
// The same for what has no value.
#define AWAIT_DONE(...)                                                                            \
  auto UPSKILL_AWAIT_CONCAT(awaited_, __LINE__) = __VA_ARGS__;                                     \
  co_await std::move(UPSKILL_AWAIT_CONCAT(awaited_, __LINE__))
