#include "tests/sync/traces.h"

#include "skills/sync/stage.h"
#include "tests/sync/disk.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace upskill::sync_test {

Traces::Traces(const std::vector<std::string>& folders)
    : m_fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  if (!m_fd) {
    throw Violation("the test's own world: no inotify instance is left (fs.inotify)");
  }
  for (const std::string& folder : folders) {
    watch(folder);
    watch(folder + "/" + std::string(sync::Stager::k_folder_name));
  }
}

void Traces::watch(const std::string& folder) {
  constexpr std::uint32_t k_events = IN_CREATE | IN_DELETE | IN_MOVE | IN_MODIFY | IN_ONLYDIR;
  int wd = ::inotify_add_watch(m_fd.get(), folder.c_str(), k_events);
  if (wd >= 0) {
    m_folders[wd] = folder;
  }
}

int Traces::read_some() {
  alignas(inotify_event) std::array<char, 16384> block;
  ssize_t bytes = ::read(m_fd.get(), block.data(), block.size());
  int count = 0;
  for (ssize_t at = 0; at < bytes;) {
    const auto* event = reinterpret_cast<const inotify_event*>(block.data() + at);
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
    ++count;
    if (event->len > 0 && sync::Stager::k_folder_name == event->name
        && (event->mask & IN_CREATE) != 0) {
      watch(m_folders[event->wd] + "/" + event->name);
    }
  }
  return count;
}

void Traces::wait_for(int count, int other) {
  while (count > 0) {
    std::array<pollfd, 2> waiting = {pollfd{m_fd.get(), POLLIN, 0}, pollfd{other, POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) {
      throw Violation("the test's own world: poll fails");
    }
    if (waiting[0].revents != 0) {
      count -= read_some();
    } else if (waiting[1].revents != 0) {
      return;
    }
  }
}

} // namespace upskill::sync_test
