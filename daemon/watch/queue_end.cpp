#include "daemon/watch/queue_end.h"

#include "daemon/watch/inotify.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

namespace upskill::watch {

Result<QueueEnd> QueueEnd::watch(int inotify) {
  QueueEnd end;
  for (File& file : end.m_files) {
    file.fd.reset(::memfd_create("upskill-queue-end", MFD_CLOEXEC));
    file.wd = file.fd ? add_watch(inotify, file.fd.get(), IN_ATTRIB) : -1;
    if (file.wd < 0) {
      int failure = errno;
      Error error = system_error(failure, "cannot tell where the queue of file events ends");
      if (is_watch_limit(failure)) {
        error.hint = "raise `fs.inotify.max_user_watches` or end programs that watch files";
      }
      return fail(std::move(error));
    }
  }
  return end;
}

Result<void> QueueEnd::mark() {
  File& file = m_files[m_next_marked];
  if (::fchmod(file.fd.get(), S_IRUSR | S_IWUSR) != 0) {
    return fail(system_error(errno, "cannot mark where the queue of file events ends"));
  }
  m_next_marked = 1 - m_next_marked;
  return {};
}

bool QueueEnd::take(const RawEvent& event) {
  if (event.wd != m_files[m_next_taken].wd || (event.mask & IN_ATTRIB) == 0) {
    return false;
  }
  m_next_taken = 1 - m_next_taken;
  return true;
}

} // namespace upskill::watch
