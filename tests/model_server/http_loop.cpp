#include "tests/model_server/http_loop.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace upskill::model_server {
namespace {

void require(bool fact, const char* what) {
  if (!fact) {
    throw std::system_error(errno, std::generic_category(), what);
  }
}

std::size_t length_of(std::string_view head) {
  constexpr std::string_view k_name = "content-length:";
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;
       at = head.find("\r\n", at + 2)) {
    std::string_view line = head.substr(at + 2);
    if (line.size() > k_name.size()
        && ::strncasecmp(line.data(), k_name.data(), k_name.size()) == 0) {
      return std::strtoul(line.data() + k_name.size(), nullptr, 10);
    }
  }
  return 0;
}

} // namespace

HttpLoop::HttpLoop(std::uint16_t port, Answer answer)
    : m_answer(std::move(answer))
    , m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0))
    , m_poll(::epoll_create1(EPOLL_CLOEXEC))
    , m_timer(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  require(m_listener && m_poll && m_timer, "descriptors");
  int on = 1;
  ::setsockopt(m_listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  auto* any = reinterpret_cast<sockaddr*>(&address);
  socklen_t size = sizeof address;
  require(::bind(m_listener.get(), any, size) == 0, "bind");
  require(::listen(m_listener.get(), 4096) == 0, "listen");
  require(::getsockname(m_listener.get(), any, &size) == 0, "getsockname");
  m_port = ntohs(address.sin_port);
  watch(m_listener.get(), EPOLLIN, EPOLL_CTL_ADD);
  watch(m_timer.get(), EPOLLIN, EPOLL_CTL_ADD);
}

void HttpLoop::watch(int fd, std::uint32_t events, int how) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  require(::epoll_ctl(m_poll.get(), how, fd, &event) == 0, "epoll_ctl");
}

HttpLoop::Connection* HttpLoop::find(int fd) {
  auto at = static_cast<std::size_t>(fd);
  return at < m_connections.size() ? m_connections[at].get() : nullptr;
}

void HttpLoop::run() {
  std::array<epoll_event, 512> events{};
  for (;;) {
    int count = ::epoll_wait(m_poll.get(), events.data(), events.size(), -1);
    require(count >= 0 || errno == EINTR, "epoll_wait");
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      int fd = event.data.fd;
      if (fd == m_listener.get()) {
        accept_all();
      } else if (fd == m_timer.get()) {
        ring();
      } else if (Connection* one = find(fd); one != nullptr && (event.events & EPOLLOUT) != 0) {
        flush(*one);
      } else {
        read_from(fd);
      }
    }
  }
}

void HttpLoop::accept_all() {
  for (;;) {
    UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      return;
    }
    int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    auto at = static_cast<std::size_t>(socket.get());
    watch(socket.get(), EPOLLIN, EPOLL_CTL_ADD);
    if (m_connections.size() <= at) {
      m_connections.resize(at + 1);
    }
    m_connections[at] = std::make_unique<Connection>();
    m_connections[at]->socket = std::move(socket);
    m_connections[at]->number = m_next++;
  }
}

void HttpLoop::read_from(int fd) {
  static std::vector<char> buffer(256u << 10);
  Connection* one = find(fd);
  if (one == nullptr) {
    return; // dropped within this round
  }
  ssize_t got = ::read(fd, buffer.data(), buffer.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
    return;
  }
  if (got <= 0) {
    return drop(fd);
  }
  one->in.append(buffer.data(), static_cast<std::size_t>(got));
  take_request(*one);
}

void HttpLoop::take_request(Connection& one) {
  std::size_t end = one.in.find("\r\n\r\n");
  if (one.is_busy || end == std::string::npos) {
    return;
  }
  std::string_view whole(one.in);
  std::string_view head = whole.substr(0, end + 2);
  std::size_t length = length_of(head);
  if (whole.size() < end + 4 + length) {
    return;
  }
  std::size_t first = head.find(' ') + 1;
  Request request{
      head.substr(first, head.find(' ', first) - first), head, whole.substr(end + 4, length)};
  one.is_busy = true;
  Reply reply = m_answer(request);
  one.in.erase(0, end + 4 + length);
  if (reply.is_silent) {
    return;
  }
  if (reply.after.count() > 0) {
    Clock::time_point due = Clock::now() + reply.after;
    bool is_first = m_due.empty() || due < m_due.begin()->first;
    m_due.emplace(due, Due{one.socket.get(), one.number, std::move(reply)});
    if (is_first) {
      set_timer();
    }
    return;
  }
  say(one, std::move(reply));
}

void HttpLoop::say(Connection& one, Reply reply) {
  one.out = std::move(reply.bytes);
  one.is_last = reply.is_last;
  flush(one);
}

void HttpLoop::flush(Connection& one) {
  int fd = one.socket.get();
  std::size_t sent = 0;
  while (sent < one.out.size()) {
    ssize_t wrote = ::send(fd, one.out.data() + sent, one.out.size() - sent, MSG_NOSIGNAL);
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0 && errno == EAGAIN) {
      one.out.erase(0, sent);
      one.is_stuck = true;
      return watch(fd, EPOLLOUT, EPOLL_CTL_MOD);
    }
    if (wrote < 0) {
      return drop(fd);
    }
    sent += static_cast<std::size_t>(wrote);
  }
  one.out.clear();
  if (one.is_last) {
    return drop(fd);
  }
  if (std::exchange(one.is_stuck, false)) {
    watch(fd, EPOLLIN, EPOLL_CTL_MOD);
  }
  one.is_busy = false;
  take_request(one);
}

void HttpLoop::drop(int fd) {
  m_connections[static_cast<std::size_t>(fd)].reset();
}

void HttpLoop::ring() {
  std::uint64_t rung = 0;
  (void)!::read(m_timer.get(), &rung, sizeof rung);
  Clock::time_point now = Clock::now();
  while (!m_due.empty() && m_due.begin()->first <= now) {
    auto node = m_due.extract(m_due.begin());
    Due& due = node.mapped();
    Connection* one = find(due.fd);
    if (one != nullptr && one->number == due.number) {
      say(*one, std::move(due.reply));
    }
  }
  set_timer();
}

void HttpLoop::set_timer() {
  if (m_due.empty()) {
    return;
  }
  auto since = m_due.begin()->first.time_since_epoch(); // of CLOCK_MONOTONIC
  auto whole = std::chrono::floor<std::chrono::seconds>(since);
  itimerspec when{};
  when.it_value.tv_sec = whole.count();
  when.it_value.tv_nsec = std::chrono::nanoseconds(since - whole).count();
  ::timerfd_settime(m_timer.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

} // namespace upskill::model_server
