#include "tests/support/daemon_process.h"

#include "protocol/base/paths.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace upskill::tests {
namespace {

bool is_ready(int fd, short events, std::chrono::milliseconds limit = k_limit) {
  pollfd entry{fd, events, 0};
  return ::poll(&entry, 1, static_cast<int>(limit.count())) > 0;
}

UniqueFd connected(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.data(), path.size());
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  return socket;
}

void write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(fd, bytes.data(), bytes.size());
    REQUIRE(written > 0);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void send_descriptors(int socket, std::string_view bytes, const std::vector<int>& descriptors) {
  std::vector<char> control(CMSG_SPACE(descriptors.size() * sizeof(int)));
  iovec place{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &place;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(descriptors.size() * sizeof(int));
  std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size() * sizeof(int));
  REQUIRE(::sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size()));
}

std::array<UniqueFd, 2> make_pipe() {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

[[noreturn]] void become_daemon(const DaemonOptions& options,
                                const std::vector<std::string>& arguments,
                                const std::vector<std::string>& environment,
                                const std::string& errors,
                                int ready) {
  if (options.descriptors != 0) {
    rlimit limit{options.descriptors, options.descriptors};
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), 2);
  for (int fd : {ready, options.keep_fd}) {
    if (fd >= 0) {
      ::fcntl(fd, F_SETFD, 0);
    }
  }
  std::vector<char*> words;
  for (const std::string& word : arguments) {
    words.push_back(const_cast<char*>(word.c_str()));
  }
  words.push_back(nullptr);
  std::vector<char*> variables;
  for (const std::string& variable : environment) {
    variables.push_back(const_cast<char*>(variable.c_str()));
  }
  variables.push_back(nullptr);
  ::execve(words[0], words.data(), variables.data());
  ::_exit(127);
}

} // namespace

std::vector<std::string> environment_in(const std::string& home) {
  std::vector<std::string> environment{"HOME=" + home, "PATH=/usr/bin:/bin"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).find("SAN_OPTIONS=") != std::string_view::npos) {
      environment.emplace_back(*variable);
    }
  }
  return environment;
}

int wait_end_of(pid_t child, std::chrono::milliseconds limit) {
  UniqueFd process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  REQUIRE(process);
  REQUIRE_MESSAGE(is_ready(process.get(), POLLIN, limit), "it did not end in time");
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::optional<std::string> LineReader::line() {
  for (;;) {
    std::size_t newline = m_buffer.find('\n');
    if (newline != std::string::npos) {
      std::string line = m_buffer.substr(0, newline);
      m_buffer.erase(0, newline + 1);
      return line;
    }
    REQUIRE_MESSAGE(is_ready(m_fd, POLLIN), "nothing came in time");
    std::array<char, 65536> block;
    ssize_t bytes = ::read(m_fd, block.data(), block.size());
    if (bytes <= 0) {
      return std::nullopt;
    }
    m_buffer.append(block.data(), static_cast<std::size_t>(bytes));
  }
}

DaemonOptions with_http(std::vector<std::string> more) {
  DaemonOptions options;
  options.arguments = {"--http", "127.0.0.1:0"};
  options.arguments.insert(options.arguments.end(), more.begin(), more.end());
  return options;
}

DaemonProcess::DaemonProcess(const std::string& home, DaemonOptions options) {
  auto [ready, tell_ready] = make_pipe();
  std::vector<std::string> arguments{UPSKILL_TEST_DAEMON,
                                     "--ready-fd=" + std::to_string(tell_ready.get())};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> environment = environment_in(home);
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());
  auto lookup = [&](std::string_view name) -> std::optional<std::string> {
    for (const std::string& variable : environment) {
      if (variable.starts_with(std::string(name) + "=")) {
        return variable.substr(name.size() + 1);
      }
    }
    return std::nullopt;
  };
  auto places = find_places(lookup);
  REQUIRE(places);
  m_pid = ::fork();
  REQUIRE(m_pid >= 0);
  if (m_pid == 0) {
    become_daemon(options, arguments, environment, home + "/stderr", tell_ready.get());
  }
  tell_ready.reset();
  REQUIRE_MESSAGE(is_ready(ready.get(), POLLIN), "the daemon neither got ready nor ended");
  m_socket = socket_path(*places, ::geteuid());
}

DaemonProcess::~DaemonProcess() {
  kill();
}

void DaemonProcess::signal(int signal) const {
  REQUIRE(::kill(m_pid, signal) == 0);
}

int DaemonProcess::wait_end(std::chrono::milliseconds limit) {
  int code = wait_end_of(m_pid, limit);
  m_pid = -1;
  return code;
}

void DaemonProcess::kill() {
  if (m_pid > 0) {
    ::kill(m_pid, SIGKILL);
    ::waitpid(m_pid, nullptr, 0);
    m_pid = -1;
  }
}

Client::Client(const std::string& socket_path)
    : Client(connected(socket_path)) {}

Client::Client(UniqueFd socket)
    : m_socket(std::move(socket))
    , m_reader(m_socket.get()) {}

void Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    REQUIRE(sent > 0);
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Client::send(std::string_view bytes, const std::vector<int>& descriptors) {
  send_descriptors(m_socket.get(), bytes, descriptors);
}

std::string Client::line() {
  auto line = m_reader.line();
  REQUIRE_MESSAGE(line, "the daemon closed the connection");
  return *line;
}

void Client::shut_down_sending() {
  REQUIRE(::shutdown(m_socket.get(), SHUT_WR) == 0);
}

Bridge::Bridge() {
  auto [input_end, input] = make_pipe();
  auto [output, output_end] = make_pipe();
  m_input = std::move(input);
  m_input_end = std::move(input_end);
  m_output = std::move(output);
  m_output_end = std::move(output_end);
  m_memory.reset(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  m_reader.emplace(m_output.get());
}

void Bridge::hand_over(const std::string& socket_path) {
  UniqueFd socket = connected(socket_path);
  send_descriptors(
      socket.get(),
      "{\"jsonrpc\":\"2.0\",\"method\":\"upskill/handover\",\"params\":{\"version\":1}}\n",
      {m_input_end.get(), m_output_end.get(), m_memory.get()});
  int fd = socket.get();
  m_control.reset();
  m_control.emplace(Control{std::move(socket), LineReader(fd)});
  auto answer = control();
  REQUIRE(answer);
  REQUIRE_MESSAGE(answer->find("upskill/accepted") != std::string::npos, *answer);
}

void Bridge::write(std::string_view bytes) {
  write_all(m_input.get(), bytes);
}

std::string Bridge::line() {
  for (;;) {
    auto line = m_reader->line();
    REQUIRE_MESSAGE(line, "the output has ended");
    if (!line->empty()) {
      return *line;
    }
  }
}

bool Bridge::output_ends() {
  m_output_end.reset();
  return m_reader->ends();
}

void Bridge::die() {
  m_control.reset();
  m_input_end.reset();
  m_output_end.reset();
  m_memory.reset();
}

int Bridge::unread_input() const {
  int bytes = 0;
  REQUIRE(::ioctl(m_input_end.get(), FIONREAD, &bytes) == 0);
  return bytes;
}

int Bridge::unread_output() const {
  int bytes = 0;
  REQUIRE(::ioctl(m_output.get(), FIONREAD, &bytes) == 0);
  return bytes;
}

std::string modern_call(int id, std::string_view tool, std::string_view arguments) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id)
         + R"(,"method":"tools/call","params":{"name":")" + std::string(tool) + R"(","arguments":)"
         + std::string(arguments)
         + R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
           R"("io.modelcontextprotocol/clientCapabilities":{},)"
           R"("io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"}}}})"
         + "\n";
}

std::string legacy_call(int id, std::string_view tool, std::string_view arguments) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id)
         + R"(,"method":"tools/call","params":{"name":")" + std::string(tool) + R"(","arguments":)"
         + std::string(arguments) + "}}\n";
}

std::string legacy_hello() {
  return R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",)"
         R"("capabilities":{},"clientInfo":{"name":"test","version":"1"}}})"
         "\n"
         R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
         "\n";
}

} // namespace upskill::tests
