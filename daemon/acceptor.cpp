#include "daemon/acceptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace upskill::daemon {
namespace {

constexpr int k_accepts_a_turn = 64; // then others get theirs
constexpr auto k_pause = std::chrono::milliseconds(100);

UniqueFd open_spare() {
  return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

} // namespace

Acceptor::Acceptor(asio::io_context& io, telemetry::Log& log, OnClient on_client)
    : m_log(log)
    , m_on_client(std::move(on_client))
    , m_socket(io)
    , m_spare(open_spare())
    , m_pause(io.get_executor(), [this] { wait(); }) {}

Result<std::unique_ptr<Acceptor>>
Acceptor::open(asio::io_context& io, UniqueFd listening, telemetry::Log& log, OnClient on_client) {
  std::unique_ptr<Acceptor> acceptor(new Acceptor(io, log, std::move(on_client)));
  boost::system::error_code failure;
  acceptor->m_socket.assign(listening.get(), failure);
  if (failure) {
    return fail(system_error(failure.value(), "a socket cannot be waited for"));
  }
  listening.release();
  acceptor->wait();
  return acceptor;
}

bool Acceptor::close() {
  if (!m_socket.is_open()) {
    return false;
  }
  boost::system::error_code ignored;
  m_socket.close(ignored);
  m_pause.clear();
  return true;
}

void Acceptor::wait() {
  m_socket.async_wait(asio::posix::descriptor_base::wait_read,
                      [this](const boost::system::error_code& failure) {
                        if (!failure && m_socket.is_open()) {
                          accept_waiting();
                        }
                      });
}

void Acceptor::accept_waiting() {
  for (int i = 0; i < k_accepts_a_turn && m_socket.is_open(); ++i) {
    UniqueFd client(
        ::accept4(m_socket.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (client) {
      m_on_client(std::move(client));
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
void Acceptor::out_of_descriptors() {
  m_log.error("no descriptors are left for another client: {}", std::strerror(errno));
  m_spare.reset();
  UniqueFd turned_away(::accept4(m_socket.native_handle(), nullptr, nullptr, SOCK_CLOEXEC));
  turned_away.reset();
  m_spare = open_spare();
  m_pause.set(runtime::Clock::now() + k_pause);
}

} // namespace upskill::daemon
