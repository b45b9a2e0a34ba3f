#include "daemon/signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace upskill::daemon {
namespace {

constexpr unsigned k_stop_limit = 2; // seconds

// Process-wide, because a signal handler has no other way to anything.
std::atomic<int> g_pipe = -1;
std::atomic<int> g_stops = 0;

void on_any(int signal) {
  int saved = errno;
  if (signal == SIGALRM) {
    ::_exit(0);
  }
  if (signal != SIGHUP) {
    if (g_stops.fetch_add(1) > 0) {
      ::_exit(128 + signal);
    }
    ::alarm(k_stop_limit);
  }
  auto letter = static_cast<char>(signal);
  [[maybe_unused]] ssize_t ignored = ::write(g_pipe.load(), &letter, 1);
  errno = saved;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};

  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

} // namespace

Signals::Signals(asio::io_context& io, Actions actions)
    : m_actions(std::move(actions))
    , m_pipe(io) {}

Result<std::unique_ptr<Signals>> Signals::catch_all(asio::io_context& io, Actions actions) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) {
    return fail(system_error(errno, "a pipe for signals cannot be made"));
  }
  std::unique_ptr<Signals> signals(new Signals(io, std::move(actions)));
  signals->m_pipe.assign(ends[0]);
  g_pipe = ends[1];
  g_stops = 0;
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGALRM}) {
    handle(signal, on_any);
  }
  handle(SIGPIPE, SIG_IGN);
  signals->wait();
  return signals;
}

Signals::~Signals() {
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGALRM}) {
    handle(signal, SIG_DFL);
  }
  ::alarm(0);
  ::close(g_pipe.exchange(-1));
}

void Signals::limit_stop() {
  ::alarm(k_stop_limit);
}

void Signals::close() {
  boost::system::error_code ignored;
  m_pipe.close(ignored);
}

void Signals::wait() {
  m_pipe.async_wait(asio::posix::descriptor_base::wait_read,
                    [this](const boost::system::error_code& failure) {
                      if (!failure) {
                        on_signal();
                      }
                    });
}

void Signals::on_signal() {
  char signal = 0;
  while (::read(m_pipe.native_handle(), &signal, 1) == 1) {
    if (signal == SIGHUP) {
      m_actions.hang_up();
    } else {
      m_actions.stop();
    }
  }
  wait();
}

} // namespace upskill::daemon
