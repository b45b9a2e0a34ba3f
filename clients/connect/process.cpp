#include "clients/connect/process.h"

#include "clients/connect/interrupt.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/unique_fd.h"

#include <sys/socket.h>
#include <sys/syscall.h>

#include <cerrno>
#include <csignal>
#include <sstream>
#include <string>

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

bool is_ending(pid_t process) {
  Result<std::string> text = read_file("/proc/" + std::to_string(process) + "/stat", 4096);
  std::size_t name_end = text ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) {
    return false;
  }
  // proc(5): state, ppid, pgrp, session, tty_nr, tpgid, flags.
  std::istringstream fields(text->substr(name_end + 1));
  char state = 0;
  long skipped = 0;
  unsigned long flags = 0;
  fields >> state >> skipped >> skipped >> skipped >> skipped >> skipped >> flags;
  constexpr unsigned long k_exiting = 0x4; // PF_EXITING of the kernel's sched.h
  return state == 'Z' || state == 'X' || (flags & k_exiting) != 0;
}

pid_t peer_of(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

} // namespace upskill::connect
