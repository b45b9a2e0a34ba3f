#pragma once
#include "protocol/base/unique_fd.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::model_server {

using Clock = std::chrono::steady_clock;

struct Request {
  std::string_view path; // as it was asked for, with its query
  std::string_view head; // all of its lines
  std::string_view body;
};

// What is said to a request, byte by byte.
struct Reply {
  std::string bytes = {};
  Clock::duration after = {};
  bool is_last = false;   // the connection is closed behind it
  bool is_silent = false; // nothing is said, ever
};

using Answer = std::function<Reply(const Request&)>;

// Serves HTTP/1.1 on a loopback address, all connections in one thread. It trusts whoever asks: its
// clients are our own.
// Owner: main. Thread: its only one. Lifetime: the program's.
class HttpLoop {
public:
  // Port 0: one that is free. Throws std::system_error where it cannot listen.
  HttpLoop(std::uint16_t port, Answer answer);

  std::uint16_t port() const { return m_port; }

  [[noreturn]] void run();

private:
  struct Connection {
    UniqueFd socket;
    std::uint64_t number = 0; // no other connection has it
    std::string in = {};
    std::string out = {};
    bool is_last = false;
    bool is_busy = false;  // a reply is on its way
    bool is_stuck = false; // the other side does not take more of it now
  };

  struct Due {
    int fd;
    std::uint64_t number;
    Reply reply;
  };

  void accept_all();
  void read_from(int fd);
  void take_request(Connection& one);
  void say(Connection& one, Reply reply);
  void flush(Connection& one);
  void drop(int fd);
  void ring();
  void set_timer();
  void watch(int fd, std::uint32_t events, int how) const;
  Connection* find(int fd);

  Answer m_answer;
  UniqueFd m_listener;
  UniqueFd m_poll;
  UniqueFd m_timer;
  std::uint16_t m_port = 0;
  std::uint64_t m_next = 1;
  std::vector<std::unique_ptr<Connection>> m_connections; // by descriptor
  std::multimap<Clock::time_point, Due> m_due;
};

} // namespace upskill::model_server
