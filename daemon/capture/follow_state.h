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

// What cannot be watched is looked through that often (facts: traces.md, 2, tail rules).
inline constexpr std::chrono::minutes k_poll_every{5};

// What is waited for before a session that grows is read (facts: the same).
struct FollowLimits {
  Clock::duration batch = std::chrono::milliseconds(40); // after the first change
  Clock::duration gap = std::chrono::milliseconds(200);  // between two reads of one file
  std::size_t files = 8192; // that wait at once; more are told as "look at everything"
  // What is done whole each time, such as copying a database, rests that many times as long as it
  // took: at most a twentieth of a core is spent on it.
  int rest = 20;
  Clock::duration longest_rest = std::chrono::hours(1);
  Clock::duration poll = k_poll_every;
};

// Changes of files + time -> which files are to be read now, and when everything is to be looked
// through. A line becomes visible within the longer of the two pauses, and a file that is written
// to all the time is read five times a second.
// Pure. Owner: the desk. Thread: its.
class FollowState {
public:
  explicit FollowState(FollowLimits limits = {})
      : m_limits(limits) {}

  void changed(const std::string& path, Clock::time_point now);

  // Reading all of it has just taken that long, and will the next time.
  void read_whole(const std::string& path, Clock::duration took, Clock::time_point now);

  // Whether it does not rest from that.
  bool may_read(const std::string& path, Clock::time_point now) const;

  // Those whose moment has come. They count as read now.
  std::vector<std::string> take_due(Clock::time_point now);

  // Every file may have changed.
  void changed_all() { m_scan = true; }

  bool is_scan_due() const { return m_scan; }

  // Whether everything is to be looked at; once.
  bool take_scan();

  // The same, because something was missed: soon, but not all the time.
  void lost(Clock::time_point now);

  // Not everything is watched: another look is due after a while.
  void look_later(Clock::time_point now);

  // Whether the moment of a look has come; once.
  bool take_look(Clock::time_point now);

  // That look has found everything, and took that long.
  void looked(Clock::duration took, Clock::time_point now);

  // When take_due() or take_look() will have something.
  std::optional<Clock::time_point> next() const;

  bool is_idle() const { return !m_scan && !m_look && m_waiting == 0; }

private:
  struct File {
    std::optional<Clock::time_point> due = {};  // none: it was read since it changed
    std::optional<Clock::time_point> read = {}; // none: never
    std::optional<Clock::time_point> rest = {}; // it is not read before
  };

  File* entry(const std::string& path, Clock::time_point now);
  void forget(Clock::time_point now);
  Clock::duration rest_after(Clock::duration took) const;

  FollowLimits m_limits;
  std::map<std::string, File> m_files = {};
  std::size_t m_waiting = 0;
  bool m_scan = false;
  std::optional<Clock::time_point> m_look = {};
  std::optional<Clock::time_point> m_look_rest = {};
};

} // namespace upskill::capture
