#pragma once
#include "protocol/base/unique_fd.h"

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Drives a daemon from outside, as its clients do. Every wait is for a fact and has a limit.
namespace upskill::tests {

inline constexpr std::chrono::seconds k_limit{30};

// What a program in this home finds as its environment: no variable of the caller's but the
// sanitizers'.
std::vector<std::string> environment_in(const std::string& home);

// The exit code of a child, or 128 + the signal; fails the test when it takes longer.
int wait_end_of(pid_t child, std::chrono::milliseconds limit = k_limit);

// Reads lines from a descriptor.
class LineReader {
public:
  explicit LineReader(int fd)
      : m_fd(fd) {}

  // Nothing at the end of the stream; fails the test when neither comes in time.
  std::optional<std::string> line();

  // Whether the stream ends without another line.
  bool ends() { return !line(); }

private:
  int m_fd;
  std::string m_buffer;
};

struct DaemonOptions {
  std::vector<std::string> arguments = {};
  std::vector<std::string> environment = {}; // NAME=value, beside HOME
  rlim_t descriptors = 0;                    // not 0: the hard limit
  int keep_fd = -1;                          // stays open in the daemon
};

// Serves HTTP, too, at a port that is free, with these arguments beside that.
DaemonOptions with_http(std::vector<std::string> more = {});

class DaemonProcess {
public:
  // Returns when it is ready, or has ended. Its standard error goes to `HOME/stderr`.
  explicit DaemonProcess(const std::string& home, DaemonOptions options = {});
  ~DaemonProcess();
  DaemonProcess(DaemonProcess&&) = delete;

  pid_t pid() const { return m_pid; }

  const std::string& socket() const { return m_socket; }

  void signal(int signal) const;
  // The exit code, or 128 + the signal; fails the test when it takes longer.
  int wait_end(std::chrono::milliseconds limit = k_limit);
  void kill();

private:
  pid_t m_pid = -1;
  std::string m_socket;
};

// A client on the daemon's socket.
class Client {
public:
  explicit Client(const std::string& socket_path);
  // Over a socket that is connected already.
  explicit Client(UniqueFd socket);

  void send(std::string_view bytes);
  // With copies of these descriptors.
  void send(std::string_view bytes, const std::vector<int>& descriptors);
  std::string line();

  // Nothing when the connection was closed.
  std::optional<std::string> line_or_end() { return m_reader.line(); }

  bool ends() { return m_reader.ends(); }

  void shut_down_sending();

  void close() { m_socket.reset(); }

  int fd() const { return m_socket.get(); }

private:
  UniqueFd m_socket;
  LineReader m_reader;
};

// An agent and its bridge: two pipes, the memory, and the socket to the daemon.
class Bridge {
public:
  Bridge();

  void hand_over(const std::string& socket_path);

  // The next line on the socket; nothing when it was closed.
  std::optional<std::string> control() { return m_control->line_or_end(); }

  void write(std::string_view bytes);
  // The next line that is not empty.
  std::string line();
  bool output_ends();

  void close_input() { m_input.reset(); }

  void die();

  // Bytes that the daemon has not taken from the agent, and that the agent has not from the daemon.
  int unread_input() const;
  int unread_output() const;

private:
  struct Control {
    UniqueFd socket;
    LineReader reader;

    std::optional<std::string> line_or_end() { return reader.line(); }
  };

  UniqueFd m_input;      // the agent's end
  UniqueFd m_input_end;  // the daemon's end, kept by the bridge
  UniqueFd m_output_end; // the same of the output
  UniqueFd m_output;
  UniqueFd m_memory;
  std::optional<Control> m_control;
  std::optional<LineReader> m_reader;
};

// `tools/call` of both eras, with its newline.
std::string modern_call(int id, std::string_view tool, std::string_view arguments = "{}");
std::string legacy_call(int id, std::string_view tool, std::string_view arguments = "{}");
// `initialize` (id 0) and the notification after it.
std::string legacy_hello();

// Asks again until it is true; fails the test when it does not become so.
template <class Fact> bool becomes_true(Fact fact) {
  auto end = std::chrono::steady_clock::now() + k_limit;
  while (!fact()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
  }
  return true;
}

} // namespace upskill::tests
