#pragma once
#include "daemon/watch/watch_state.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <sys/inotify.h>

#include <cstdint>
#include <optional>
#include <span>

namespace upskill::watch {

// A root and everything below it. IN_ATTRIB tells of the exec bit; IN_MODIFY is left out, because
// every write would wake us and the closing tells the same.
inline constexpr std::uint32_t k_folder_mask = IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO
                                               | IN_CREATE | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF
                                               | IN_MOVE_SELF;
// A folder on the way to a root that is there: only its loss, and that of what is in it, matters.
inline constexpr std::uint32_t k_guard_mask =
    IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF;
// A folder above the boundary of a root that is there: what else goes in it, such as in /tmp, is to
// wake nobody.
inline constexpr std::uint32_t k_outside_mask = IN_DELETE_SELF | IN_MOVE_SELF;
// The last folder that exists on the way to one that is not.
inline constexpr std::uint32_t k_anchor_mask = k_guard_mask | IN_CREATE;

// A non-blocking instance.
Result<UniqueFd> open_inotify();

// Adds the bits to what is watched of the folder at `path` already. The descriptor, or -1 and
// errno. A link is not followed.
int add_watch(int inotify, const char* path, std::uint32_t mask);
// The same for an open file, which need not have a name.
int add_watch(int inotify, int file, std::uint32_t mask);

// Of an errno of add_watch: the system gives no more watches.
bool is_watch_limit(int errno_value);

// Goes through the events that one read returned; they point into its bytes.
class EventReader {
public:
  explicit EventReader(std::span<const char> bytes)
      : m_bytes(bytes) {}

  std::optional<RawEvent> next();

private:
  std::span<const char> m_bytes;
};

} // namespace upskill::watch
