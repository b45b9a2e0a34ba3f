// Runs within a sandbox that has a loopback of its own and nothing else of a network:
//
//   upskill-forward SOCKET PORT PROGRAM [ARGUMENT...]
//
// listens at 127.0.0.1:PORT, runs the program, and carries the bytes of each connection to the Unix
// socket and back until the program ends. Its exit code is the program's, 128 and more for a
// signal, 127 where it could not be run. It is linked statically and knows nothing of what it
// carries, because the sandbox has nothing of ours but this file.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr std::size_t k_links = 64; // connections at a time; more wait in the backlog
constexpr std::size_t k_piece = 64u << 10;

// Bytes on their way in one direction.
struct Direction {
  int from = -1;
  int to = -1;
  std::array<char, k_piece> bytes = {};
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_read = false; // to its end
  bool is_done = false; // and all was written

  bool is_empty() const { return begin == end; }

  void read_some() {
    ssize_t size = ::recv(from, bytes.data(), bytes.size(), 0);
    if (size > 0) {
      begin = 0;
      end = static_cast<std::size_t>(size);
    } else if (size == 0 || (errno != EAGAIN && errno != EINTR)) {
      is_read = true;
    }
  }

  // False: nobody takes them.
  bool write_some() {
    ssize_t size = ::send(to, bytes.data() + begin, end - begin, MSG_NOSIGNAL);
    if (size > 0) {
      begin += static_cast<std::size_t>(size);
      return true;
    }
    return size < 0 && (errno == EAGAIN || errno == EINTR);
  }

  void settle() {
    if (is_read && is_empty() && !is_done) {
      is_done = true;
      ::shutdown(to, SHUT_WR);
    }
  }
};

struct Link {
  bool is_used = false;
  Direction out; // the program's
  Direction back;

  void close() {
    ::close(out.from);
    ::close(out.to);
    is_used = false;
  }
};

std::array<Link, k_links> g_links;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "upskill-forward: %s: %s\n", what, std::strerror(errno));
  std::exit(126);
}

int listen_at(int port) {
  int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd < 0 || ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0
      || ::listen(fd, 64) != 0) {
    give_up("the port");
  }
  return fd;
}

int connect_to(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    ::close(fd);
    return -1;
  }
  ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
  return fd;
}

Link* free_link() {
  for (Link& link : g_links) {
    if (!link.is_used) {
      return &link;
    }
  }
  return nullptr;
}

void accept_one(int listener, const char* path) {
  Link* link = free_link();
  int agent = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  int proxy = agent < 0 ? -1 : connect_to(path);
  if (link == nullptr || proxy < 0) {
    ::close(agent);
    return;
  }
  link->is_used = true;
  link->out.from = link->back.to = agent;
  link->out.to = link->back.from = proxy;
  for (Direction* direction : {&link->out, &link->back}) {
    direction->begin = direction->end = 0;
    direction->is_read = direction->is_done = false;
  }
}

// What is waited for of a link: its two sockets, each for what the two directions want of it.
void want(const Link& link, pollfd* wanted) {
  auto reads = [](const Direction& one) {
    return one.is_empty() && !one.is_read ? short(POLLIN) : short(0);
  };
  auto writes = [](const Direction& one) { return one.is_empty() ? short(0) : short(POLLOUT); };
  wanted[0] = {link.out.from, short(reads(link.out) | writes(link.back)), 0};
  wanted[1] = {link.back.from, short(reads(link.back) | writes(link.out)), 0};
  for (int i : {0, 1}) { // one that is at its end would ring for ever
    wanted[i].fd = wanted[i].events == 0 ? -1 : wanted[i].fd;
  }
}

void carry(Link& link) {
  for (Direction* direction : {&link.out, &link.back}) {
    if (direction->is_empty() && !direction->is_read) {
      direction->read_some();
    }
    if (!direction->is_empty() && !direction->write_some()) {
      link.close();
      return;
    }
    direction->settle();
  }
  if (link.back.is_done || (link.out.is_done && link.back.is_read)) { // answered, or hopeless
    link.close();
  }
}

int run(const char* path, int listener, int program) {
  std::array<pollfd, 2 + 2 * k_links> wanted = {};
  for (;;) {
    wanted[0] = {program, POLLIN, 0};
    wanted[1] = {free_link() == nullptr ? -1 : listener, POLLIN, 0};
    for (std::size_t i = 0; i < k_links; ++i) {
      pollfd* pair = &wanted[2 + 2 * i];
      if (g_links[i].is_used) {
        want(g_links[i], pair);
      } else {
        pair[0] = pair[1] = {-1, 0, 0};
      }
    }
    if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR) {
      give_up("poll");
    }
    if (wanted[0].revents != 0) {
      return 0;
    }
    for (std::size_t i = 0; i < k_links; ++i) {
      if (g_links[i].is_used && (wanted[2 + 2 * i].revents | wanted[3 + 2 * i].revents) != 0) {
        carry(g_links[i]);
      }
    }
    if (wanted[1].revents != 0) {
      accept_one(listener, path);
    }
  }
}

} // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::fprintf(stderr, "usage: upskill-forward SOCKET PORT PROGRAM [ARGUMENT...]\n");
    return 2;
  }
  int listener = listen_at(std::atoi(arguments[2]));
  pid_t process = ::fork();
  if (process < 0) {
    give_up("fork");
  }
  if (process == 0) {
    ::execvp(arguments[3], arguments + 3);
    std::fprintf(stderr, "upskill-forward: %s: %s\n", arguments[3], std::strerror(errno));
    ::_exit(127);
  }
  int program = static_cast<int>(::syscall(SYS_pidfd_open, process, 0));
  if (program < 0) {
    give_up("the program");
  }
  // The program's alone: whoever waits for their end waits for the program.
  for (int fd : {0, 1}) {
    ::close(fd);
  }
  run(arguments[1], listener, program);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
