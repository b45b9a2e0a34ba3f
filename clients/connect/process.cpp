#include "clients/connect/process.h"

#include "clients/connect/interrupt.h"
#include "protocol/base/unique_fd.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>

namespace upskill::connect {

bool wait_for_end(pid_t process, long limit_ms) {
  UniqueFd handle(static_cast<int>(::syscall(SYS_pidfd_open, process, 0)));
  if (!handle) {
    // A kernel before 5.3 has no such call; then only its absence can be told.
    return errno == ESRCH || (::kill(process, 0) != 0 && errno == ESRCH);
  }
  pollfd entry{handle.get(), POLLIN, 0};
  return wait({&entry, 1}, limit_ms) > 0;
}

pid_t peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

} // namespace upskill::connect
