#include "tests/bench/process.h"

#include "protocol/base/atomic_file.h"
#include "tests/bench/bench.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>

extern char** environ;

namespace upskill::bench {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (const std::string& text : texts) {
    all.push_back(const_cast<char*>(text.c_str()));
  }
  all.push_back(nullptr);
  return all;
}

std::array<UniqueFd, 2> make_pipe() {
  int ends[2];
  require(::pipe2(ends, O_CLOEXEC) == 0, "cannot make a pipe");
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

} // namespace

Process::Process(const std::vector<std::string>& words, const ProcessOptions& options) {
  std::vector<char*> arguments = pointers(words);
  std::vector<char*> environment = pointers(options.environment);
  UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  UniqueFd errors(::open(options.errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  std::array<UniqueFd, 2> in;
  std::array<UniqueFd, 2> out;
  if (options.pipes) {
    in = make_pipe();
    out = make_pipe();
  }
  // The parent stands still until the child has become the program: cheaper than a fork.
  m_pid = ::vfork();
  if (m_pid == 0) {
    ::dup2(options.pipes ? in[0].get() : nothing.get(), 0);
    ::dup2(options.pipes ? out[1].get() : nothing.get(), 1);
    ::dup2(errors.get(), 2);
    if (options.keep >= 0) {
      ::fcntl(options.keep, F_SETFD, 0);
    }
    ::execve(
        arguments[0], arguments.data(), options.environment.empty() ? environ : environment.data());
    ::_exit(127);
  }
  require(m_pid > 0, "cannot start `" + words.front() + "`");
  m_input = std::move(in[1]);
  m_output = std::move(out[0]);
}

Process::~Process() {
  if (m_pid > 0) {
    ::kill(m_pid, SIGKILL);
    wait();
  }
}

int Process::wait() {
  int status = 0;
  while (::waitpid(m_pid, &status, 0) < 0 && errno == EINTR) {
  }
  m_pid = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Process::signal(int number) const {
  ::kill(m_pid, number);
}

double proc_number(pid_t pid, const std::string& file, const std::string& field) {
  UniqueFd fd(::open(("/proc/" + std::to_string(pid) + "/" + file).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(65536, '\0');
  ssize_t got = fd ? ::read(fd.get(), text.data(), text.size()) : -1;
  require(got > 0, "cannot read /proc/" + std::to_string(pid) + "/" + file);
  text.resize(static_cast<std::size_t>(got));
  std::size_t at = text.find("\n" + field + ":");
  require(at != std::string::npos, "no `" + field + "` in " + file);
  return std::strtod(text.c_str() + at + field.size() + 2, nullptr);
}

double voluntary_switches(pid_t pid) {
  double sum = 0;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task")) {
    std::string file = "task/" + thread.path().filename().string() + "/status";
    sum += proc_number(pid, file, "voluntary_ctxt_switches");
  }
  return sum;
}

double cpu_seconds(pid_t process) {
  clockid_t clock{};
  timespec time{};
  require(::clock_getcpuclockid(process, &clock) == 0 && ::clock_gettime(clock, &time) == 0,
          "a process's CPU time cannot be read");
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

} // namespace upskill::bench
