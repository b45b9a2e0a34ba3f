#pragma once
#include "daemon/runtime/asio.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace upskill::capture {

using Clock = std::chrono::steady_clock;

// What is waited for before a session that grows is read (facts: traces.md, 2, tail rules).
struct FollowLimits {
  Clock::duration batch = std::chrono::milliseconds(40); // after the first change
  Clock::duration gap = std::chrono::milliseconds(200);  // between two reads of one file
  std::size_t files = 8192; // that wait at once; more are told as "look at everything"
};

// Changes of files + time -> which files are to be read now. A line becomes visible within the
// longer of the two pauses, and a file that is written to all the time is read five times a second.
// Pure. Owner: the desk. Thread: its.
class FollowState {
public:
  explicit FollowState(FollowLimits limits = {})
      : m_limits(limits) {}

  void changed(const std::string& path, Clock::time_point now);

  // Every file may have changed.
  void changed_all() { m_scan = true; }

  // Those whose moment has come. They count as read now.
  std::vector<std::string> take_due(Clock::time_point now);

  // Whether everything is to be looked at; once.
  bool take_scan() { return std::exchange(m_scan, false); }

  // When take_due() will have something.
  std::optional<Clock::time_point> next() const;

  bool is_idle() const { return !m_scan && m_waiting == 0; }

private:
  struct File {
    std::optional<Clock::time_point> due = {};  // none: it was read since it changed
    std::optional<Clock::time_point> read = {}; // none: never
  };

  void forget(Clock::time_point now);

  FollowLimits m_limits;
  std::map<std::string, File> m_files = {};
  std::size_t m_waiting = 0;
  bool m_scan = false;
};

} // namespace upskill::capture
