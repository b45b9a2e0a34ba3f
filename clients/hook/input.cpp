#include "clients/hook/input.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace upskill::hook {
namespace {

long milliseconds_now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

// Whether there is something to read, or the end of it, before so many milliseconds have passed.
bool becomes_readable(int fd, long milliseconds) {
  pollfd waited{fd, POLLIN, 0};
  int count = 0;
  do {
    count = ::poll(&waited, 1, static_cast<int>(milliseconds));
  } while (count < 0 && errno == EINTR);
  // A pipe that was closed, and holds nothing more, needs no further look.
  return count > 0 && (waited.revents & POLLIN) != 0;
}

} // namespace

std::string_view read_input(int fd, std::span<char> kept, const Patience& patience) {
  char dropped[16384];
  std::size_t used = 0;
  long end = milliseconds_now() + patience.total;
  for (;;) {
    bool may_be_all = used > 0 && (kept[used - 1] == '}' || kept[used - 1] == '\n');
    long wait =
        std::min(may_be_all ? patience.after_brace : patience.silence, end - milliseconds_now());
    if (wait < 0 || !becomes_readable(fd, wait)) {
      break;
    }
    bool is_full = used == kept.size();
    std::span<char> place = is_full ? std::span<char>(dropped) : kept.subspan(used);
    ssize_t got = ::read(fd, place.data(), place.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
      continue;
    }
    if (got <= 0) {
      break;
    }
    used += is_full ? 0 : static_cast<std::size_t>(got);
  }
  return {kept.data(), used};
}

} // namespace upskill::hook
