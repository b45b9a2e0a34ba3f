#include "tests/sync/running_daemon.h"

#include "clients/connect/socket.h"
#include "tests/sync/disk.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

extern char** environ;

namespace upskill::sync_test {
namespace {

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) {
    all.push_back(text.data());
  }
  all.push_back(nullptr);
  return all;
}

// What it is told of our environment: how the sanitizers are to behave.
std::vector<std::string> environment_in(const std::string& home) {
  std::vector<std::string> environment = {"HOME=" + home, "PATH=/usr/bin:/bin"};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::strstr(*variable, "SAN_OPTIONS=") != nullptr) {
      environment.emplace_back(*variable);
    }
  }
  return environment;
}

// Another than the built one is given when bugs are planted (`mutate`).
std::string program() {
  const char* other = std::getenv("UPSKILL_OTHER_DAEMON");
  return other != nullptr ? other : UPSKILL_TEST_DAEMON;
}

Places places_in(const std::string& home) {
  auto found = find_places(
      [&](std::string_view name) { return name == "HOME" ? std::optional(home) : std::nullopt; });
  if (!found) {
    throw Violation("the test's own world: " + found.error().message);
  }
  return *found;
}

} // namespace

RunningDaemon::RunningDaemon(const std::string& home)
    : m_places(places_in(home)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw Violation("the test's own world: no pipe");
  }
  UniqueFd ready(ends[0]);
  UniqueFd tell(ends[1]);
  UniqueFd errors(
      ::open((home + "/stderr").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  std::vector<std::string> words = {
      program(), "--ready-fd=" + std::to_string(tell.get()), "--log=verbose"};
  std::vector<std::string> variables = environment_in(home);
  std::vector<char*> arguments = pointers(words);
  std::vector<char*> environment = pointers(variables);
  m_pid = ::fork();
  if (m_pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody is left behind when the test is ended
    ::dup2(errors.get(), 2);
    ::fcntl(tell.get(), F_SETFD, 0);
    ::execve(arguments[0], arguments.data(), environment.data());
    ::_exit(127);
  }
  tell.reset();
  char byte = 0;
  if (m_pid < 0 || ::read(ready.get(), &byte, 1) != 1) {
    end();
    throw Violation("the daemon does not start; `stderr` says why");
  }
}

RunningDaemon::~RunningDaemon() {
  end();
}

void RunningDaemon::end() {
  if (m_pid > 0) {
    ::kill(m_pid, SIGKILL);
    while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

Result<connect::LineStream> RunningDaemon::connection() const {
  TRY_ASSIGN(UniqueFd socket, connect::connect_to_daemon(m_places));
  return connect::LineStream(std::move(socket));
}

connect::LineStream RunningDaemon::wait_for_rest() {
  Result<connect::LineStream> stream = connection();
  connect::CallRequest request;
  request.method = k_wait_idle.name;
  WaitIdleParams params;
  params.timeout_ms = k_silence_ms;
  request.arguments = encode(params);
  if (!stream || !stream->send(connect::request_line(request), k_silence_ms)) {
    throw Violation("the daemon does not listen");
  }
  return std::move(*stream);
}

} // namespace upskill::sync_test
