#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace upskill::sync {

// When deletions are held for a person (decisions: Sync; claude-code #95373, where an account sync
// moved 83 user skills to the trash).
struct GuardLimits {
  std::int64_t window_ms = 10'000;
  std::size_t few = 3;      // more than this and ...
  std::size_t percent = 30; // ... more than this share of a root is held,
  std::size_t many = 20;    // and more than this in any case
};

// Counts deletions that people or programs make in one root. Pure; time is a parameter.
class DeletionGuard {
public:
  DeletionGuard() = default;

  explicit DeletionGuard(GuardLimits limits)
      : m_limits(limits) {}

  // True when `pending` deletions, together with those let through within the window, may be
  // carried out in a root that held `agreed` skills before any of them.
  bool allows(std::size_t pending, std::size_t agreed, std::int64_t now_ms);

  // Whether what happened then still counts.
  bool is_recent(std::int64_t then_ms, std::int64_t now_ms) const {
    return then_ms > now_ms - m_limits.window_ms;
  }

  // Records that this many were let through.
  void let_through(std::size_t count, std::int64_t now_ms);

private:
  std::size_t recent(std::int64_t now_ms);

  GuardLimits m_limits = {};
  std::deque<std::int64_t> m_times;
};

} // namespace upskill::sync
