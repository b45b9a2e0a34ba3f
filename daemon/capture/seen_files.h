#pragma once
#include "daemon/capture/session_walk.h"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace upskill::capture {

// How files were when they were last read, so that looking through everything reads only those that
// changed since.
// Owner: the desk. Thread: its.
class SeenFiles {
public:
  bool is_same(const SessionFile& file) const;

  // It was read after the walk that found it so. What changed just before `now_ms` (Unix time) may
  // change again without another time, and counts as unread.
  void saw(const SessionFile& file, std::int64_t now_ms);

  void forget() { m_files.clear(); }

private:
  struct State {
    std::int64_t size = 0;
    std::int64_t changed_ms = 0;

    friend bool operator==(const State&, const State&) = default;
  };

  // By a hash of the path: there may be 200,000. Two that share one only look changed.
  std::unordered_map<std::uint64_t, State> m_files = {};
};

} // namespace upskill::capture
