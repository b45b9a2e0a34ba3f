#include "clients/connect/socket.h"

#include "clients/connect/interrupt.h"
#include "clients/connect/process.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace upskill::connect {

Result<void> check_run_folder(const std::string& folder) {
  struct stat status {};

  if (::lstat(folder.c_str(), &status) != 0) {
    return errno == ENOENT ? Result<void>{} : fail(system_error(errno, "`" + folder + "`"));
  }
  const char* wrong = S_ISLNK(status.st_mode)        ? "is a link"
                      : !S_ISDIR(status.st_mode)     ? "is not a folder"
                      : status.st_uid != ::geteuid() ? "belongs to another user"
                      : (status.st_mode & 0077) != 0 ? "is open to other users"
                                                     : nullptr;
  if (wrong != nullptr) {
    return fail(ErrorCode::refused,
                "`" + folder + "` " + wrong + ", so the daemon's socket in it is not trusted",
                "make it a folder of your own with mode 0700, or remove it");
  }
  return {};
}

Result<UniqueFd> connect_to_daemon(const Places& places) {
  std::string path = socket_path(places, ::geteuid());
  TRY(check_run_folder(places.run()));
  if (std::string folder = parent_path(path); folder != places.run()) {
    TRY(check_run_folder(folder)); // where the usual path is too long for a socket
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::too_large, "the socket's path `" + path + "` is too long");
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) {
    return fail(system_error(errno, "a socket for the daemon"));
  }
  // Blocking: a full backlog makes the kernel wait, and a listener that takes nobody is met by the
  // limit that the send time-out sets.
  timeval limit{5, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  while (::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    if (errno == EINTR && interrupted_by() == 0) {
      continue;
    }
    if (errno == ENOENT || errno == ECONNREFUSED) {
      return fail(ErrorCode::unavailable, "the daemon is not running", "`upskill daemon start`");
    }
    return errno == EAGAIN ? fail(ErrorCode::busy,
                                  "the daemon takes no more connections",
                                  "`cat " + places.lock()
                                      + "` names its process; `kill -9` ends it, and the next "
                                        "command starts another")
                           : fail(system_error(errno, "`" + path + "`"));
  }
  if (is_ending(peer_of(socket.get()))) {
    return fail(ErrorCode::unavailable, "the daemon is ending", "`upskill daemon start`");
  }
  return socket;
}

} // namespace upskill::connect
