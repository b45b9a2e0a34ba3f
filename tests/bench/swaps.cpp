#include "tests/bench/swaps.h"

#include "tests/bench/bench.h"
#include "tests/bench/measure.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace upskill::bench {

Swaps::Swaps(const std::vector<std::string>& roots)
    : m_inotify(::inotify_init1(IN_CLOEXEC)) {
  for (const std::string& root : roots) {
    m_watches.push_back(::inotify_add_watch(m_inotify.get(), root.c_str(), IN_MOVED_TO));
    require(m_watches.back() >= 0, "cannot watch `" + root + "`");
  }
}

std::int64_t Swaps::wait_all_ns(const std::set<std::string>& names) {
  std::set<std::pair<int, std::string>> missing;
  for (int root : m_watches) {
    for (const std::string& name : names) {
      missing.emplace(root, name);
    }
  }
  alignas(inotify_event) char buffer[4096];
  while (!missing.empty()) {
    pollfd entry{m_inotify.get(), POLLIN, 0};
    require(::poll(&entry, 1, 10'000) == 1,
            "`" + missing.begin()->second + "` did not come within 10 s");
    ssize_t got = ::read(m_inotify.get(), buffer, sizeof buffer);
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer + at, sizeof event);
      if (event.len > 0) {
        missing.erase({event.wd, buffer + at + sizeof event});
      }
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
  return now_ns();
}

} // namespace upskill::bench
