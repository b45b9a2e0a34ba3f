#include "daemon/listener.h"

#include "daemon/single_instance.h"
#include "protocol/base/paths.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace upskill::daemon {
namespace {

constexpr int k_backlog = 128;

Result<void> remove_stale_socket(const std::string& path) {
  struct stat status {};

  if (::lstat(path.c_str(), &status) != 0) {
    return {};
  }
  if (!S_ISSOCK(status.st_mode) || status.st_uid != ::geteuid()) {
    return fail(ErrorCode::refused,
                "`" + path + "` is in the way: it is not a socket of this user",
                "remove it; the daemon makes its socket there");
  }
  if (::unlink(path.c_str()) != 0) {
    return fail(system_error(errno, "the old socket `" + path + "` cannot be removed"));
  }
  return {};
}

Result<UniqueFd> listen_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::too_large, "the socket's path `" + path + "` is too long");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) {
    return fail(system_error(errno, "a socket cannot be made"));
  }
  mode_t mask = ::umask(0177);
  int failed = ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  int problem = errno;
  ::umask(mask);
  if (failed != 0) {
    return fail(system_error(problem, "the socket `" + path + "` cannot be made"));
  }
  if (::listen(socket.get(), k_backlog) != 0) {
    return fail(system_error(errno, "the socket `" + path + "` cannot be listened on"));
  }
  return socket;
}

bool is_this_user(const UniqueFd& socket, telemetry::Log& log) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0
      || peer.uid != ::geteuid()) {
    log.warning("a process of another user ({}) was turned away", peer.uid);
    return false;
  }
  return true;
}

} // namespace

Listener::Listener(std::string path)
    : m_path(std::move(path)) {}

Listener::~Listener() = default;

Result<std::unique_ptr<Listener>> Listener::open(asio::io_context& io,
                                                 std::string path,
                                                 telemetry::Log& log,
                                                 Acceptor::OnClient on_client) {
  TRY(make_private_folder(parent_path(path)));
  TRY(remove_stale_socket(path));
  std::unique_ptr<Listener> listener(new Listener(std::move(path)));
  TRY_ASSIGN(UniqueFd socket, listen_at(listener->m_path));
  auto admit = [&log, on_client = std::move(on_client)](UniqueFd client) {
    if (is_this_user(client, log)) {
      on_client(std::move(client));
    }
  };
  TRY_ASSIGN(listener->m_acceptor, Acceptor::open(io, std::move(socket), log, std::move(admit)));
  return listener;
}

void Listener::close() {
  if (m_acceptor->close()) {
    ::unlink(m_path.c_str());
  }
}

} // namespace upskill::daemon
