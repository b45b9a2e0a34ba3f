#pragma once
#include "daemon/watch/watch_state.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <array>
#include <cstddef>

namespace upskill::watch {

// Marks where the queue of an inotify instance ends now: the queue is in order, so whoever reads
// the mark has read all that happened before (as watchman's cookies do). Nothing is written for it:
// a mark is a change of attributes of a file that has no name. There are two files, in turn,
// because two equal events in a row would become one. Both are watched for good: whoever gives up a
// watch may not get it again. Owner: Watcher. Thread: its own. Lifetime: that of the instance.
class QueueEnd {
public:
  // no_space when the system gives no more watches.
  static Result<QueueEnd> watch(int inotify);

  // unavailable where the file cannot be changed.
  Result<void> mark();

  // Whether this is the oldest mark that was not taken yet.
  bool take(const RawEvent& event);

private:
  struct File {
    UniqueFd fd = {};
    int wd = -1;
  };

  std::array<File, 2> m_files = {};
  std::size_t m_next_marked = 0; // of m_files
  std::size_t m_next_taken = 0;
};

} // namespace upskill::watch
