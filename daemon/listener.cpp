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
constexpr int k_accepts_a_turn = 64; // then others get theirs
constexpr auto k_pause = std::chrono::milliseconds(100);

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

UniqueFd open_spare() {
  return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

} // namespace

Listener::Listener(asio::io_context& io, std::string path, telemetry::Log& log, OnClient on_client)
    : m_path(std::move(path))
    , m_log(log)
    , m_on_client(std::move(on_client))
    , m_socket(io)
    , m_spare(open_spare())
    , m_pause(io.get_executor(), [this] { wait(); }) {}

Listener::~Listener() = default;

Result<std::unique_ptr<Listener>>
Listener::open(asio::io_context& io, std::string path, telemetry::Log& log, OnClient on_client) {
  TRY(make_private_folder(parent_path(path)));
  TRY(remove_stale_socket(path));
  std::unique_ptr<Listener> listener(new Listener(io, std::move(path), log, std::move(on_client)));
  TRY(listener->bind());
  listener->wait();
  return listener;
}

Result<void> Listener::bind() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (m_path.size() >= sizeof address.sun_path) {
    return fail(ErrorCode::too_large, "the socket's path `" + m_path + "` is too long");
  }
  std::memcpy(address.sun_path, m_path.data(), m_path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) {
    return fail(system_error(errno, "a socket cannot be made"));
  }
  mode_t mask = ::umask(0177);
  int failed = ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  int problem = errno;
  ::umask(mask);
  if (failed != 0) {
    return fail(system_error(problem, "the socket `" + m_path + "` cannot be made"));
  }
  if (::listen(socket.get(), k_backlog) != 0) {
    return fail(system_error(errno, "the socket `" + m_path + "` cannot be listened on"));
  }
  boost::system::error_code failure;
  m_socket.assign(socket.get(), failure);
  if (failure) {
    return fail(system_error(failure.value(), "the socket `" + m_path + "` cannot be waited for"));
  }
  socket.release();
  return {};
}

void Listener::close() {
  if (m_socket.is_open()) {
    boost::system::error_code ignored;
    m_socket.close(ignored);
    m_pause.clear();
    ::unlink(m_path.c_str());
  }
}

void Listener::wait() {
  m_socket.async_wait(asio::posix::descriptor_base::wait_read,
                      [this](const boost::system::error_code& failure) {
                        if (!failure && m_socket.is_open()) {
                          accept_waiting();
                        }
                      });
}

void Listener::accept_waiting() {
  for (int i = 0; i < k_accepts_a_turn && m_socket.is_open(); ++i) {
    UniqueFd client(
        ::accept4(m_socket.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client) {
      admit(std::move(client));
    } else if (errno == EAGAIN) {
      break;
    } else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
      out_of_descriptors();
      return;
    }
    // Anything else (ECONNABORTED, EINTR) concerns that one client only.
  }
  if (m_socket.is_open()) {
    wait();
  }
}

// Turns one client away at once, so that it need not wait for what may never come, and tries again
// in a moment, so that a full table is no busy loop.
void Listener::out_of_descriptors() {
  m_log.error("no descriptors are left for another client: {}", std::strerror(errno));
  m_spare.reset();
  UniqueFd turned_away(::accept4(m_socket.native_handle(), nullptr, nullptr, SOCK_CLOEXEC));
  turned_away.reset();
  m_spare = open_spare();
  m_pause.set(runtime::Clock::now() + k_pause);
}

void Listener::admit(UniqueFd socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0
      || peer.uid != ::geteuid()) {
    m_log.warning("a process of another user ({}) was turned away", peer.uid);
    return;
  }
  m_on_client(std::move(socket));
}

} // namespace upskill::daemon
