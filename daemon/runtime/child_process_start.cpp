#include "daemon/runtime/child_process_start.h"

#include "protocol/base/utf8.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace upskill::runtime {
namespace {

constexpr std::string_view k_default_path = "/usr/local/bin:/usr/bin:/bin";

// What the child needs between vfork and exec, all of it made before: there it shares our memory,
// so it must neither allocate nor change anything.
struct Plan {
  const char* program;
  char* const* argv;
  char* const* environment;
  const char* folder;
  const rlimit* limits;
  const int* resources;
  std::size_t limit_count;
  int input;
  int output;
  int errors;
  const int* descriptors; // all of them above those that they become
  int descriptor_count;
  int status; // says what went wrong; closed by exec
  pid_t parent;
};

enum class Step : int { set_up, folder, program };

struct Failure {
  Step step;
  int errno_value;
};

[[noreturn]] void give_up(const Plan& plan, Step step) {
  const Failure failure{step, errno};
  ssize_t ignored = ::write(plan.status, &failure, sizeof failure);
  static_cast<void>(ignored);
  ::_exit(127);
}

// Returns if the program cannot be run. The thread sanitizer stays out: it maps memory as it notes
// what is read, which it may not under a bound of data that its shadow is far beyond.
[[gnu::noinline, gnu::no_sanitize_thread]] void execute_bounded(const Plan& plan) {
  for (std::size_t i = 0; i < plan.limit_count; ++i) {
    ::setrlimit(static_cast<__rlimit_resource_t>(plan.resources[i]), &plan.limits[i]);
  }
  ::execve(plan.program, plan.argv, plan.environment);
}

// In the child. System calls only.
[[noreturn]] void become(const Plan& plan) {
  ::setsid(); // cannot fail: a new process leads no group
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) {
    ::_exit(127); // it ended before that was in force
  }
  // What is ignored stays ignored over exec, and SIGPIPE is, in the daemon.
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction action {};

    action.sa_handler = SIG_DFL;
    ::sigaction(number, &action, nullptr);
  }
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(plan.input, 0) < 0 || ::dup2(plan.output, 1) < 0 || ::dup2(plan.errors, 2) < 0) {
    give_up(plan, Step::set_up);
  }
  for (int i = 0; i < plan.descriptor_count; ++i) {
    if (::dup2(plan.descriptors[i], 3 + i) < 0) {
      give_up(plan, Step::set_up);
    }
  }
  // Not closed at once, or `status` could say nothing. Ours are close-on-exec in any case; this is
  // for those of libraries, and does nothing before Linux 5.11.
  ::syscall(SYS_close_range,
            3U + static_cast<unsigned>(plan.descriptor_count),
            ~0U,
            4U /* CLOSE_RANGE_CLOEXEC */);
  if (::chdir(plan.folder) != 0) {
    give_up(plan, Step::folder);
  }
  execute_bounded(plan);
  give_up(plan, Step::program);
}

// vfork, because the time and memory that fork takes grow with the daemon. Signals are blocked
// meanwhile: a handler of ours would run in the child, on our memory.
[[gnu::noinline]] pid_t start(const Plan& plan) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t pid = ::vfork(); // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (pid == 0) {
    become(plan); // NOLINT(clang-analyzer-unix.Vfork)
  }
  int errno_value = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = errno_value;
  return pid;
}

bool has_zero(const std::vector<std::string>& texts) {
  return std::ranges::any_of(
      texts, [](const std::string& text) { return text.find('\0') != std::string::npos; });
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  list.reserve(texts.size() + 1);
  for (const std::string& text : texts) {
    list.push_back(const_cast<char*>(text.c_str())); // execve changes nothing
  }
  list.push_back(nullptr);
  return list;
}

// Clear of the first ones, which the child overwrites.
constexpr int k_first_free = 16;

Result<UniqueFd> out_of_the_way(int fd) {
  int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, k_first_free);
  if (moved < 0) {
    return fail(system_error(errno, "a descriptor for a program"));
  }
  return UniqueFd(moved);
}

Result<UniqueFd> out_of_the_way(UniqueFd fd) {
  if (fd.get() >= k_first_free) {
    return fd;
  }
  return out_of_the_way(fd.get());
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(system_error(errno, "a pipe for a program"));
  }
  Pipe pipe;
  UniqueFd read(ends[0]);
  UniqueFd write(ends[1]);
  TRY_ASSIGN(pipe.read, out_of_the_way(std::move(read)));
  TRY_ASSIGN(pipe.write, out_of_the_way(std::move(write)));
  return pipe;
}

// A file in memory rather than a pipe: nobody has to feed it, and a program that never reads its
// input keeps nobody waiting.
Result<UniqueFd> input_of(const std::optional<std::string>& text) {
  UniqueFd fd(text ? ::memfd_create("input", MFD_CLOEXEC)
                   : ::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!fd) {
    return fail(system_error(errno, "the input of a program"));
  }
  std::string_view rest = text ? std::string_view(*text) : std::string_view();
  while (!rest.empty()) {
    ssize_t count = ::write(fd.get(), rest.data(), rest.size());
    if (count < 0 && errno != EINTR) {
      return fail(system_error(errno, "the input of a program"));
    }
    rest.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  if (text) {
    ::lseek(fd.get(), 0, SEEK_SET);
  }
  return out_of_the_way(std::move(fd));
}

Error explain(const Failure& failure, const std::string& name, const std::string& folder) {
  if (failure.step == Step::folder) {
    return system_error(failure.errno_value, "the folder " + in_backticks(folder));
  }
  Error error = system_error(failure.errno_value, "the program " + in_backticks(name));
  if (failure.errno_value == E2BIG) {
    error.code = ErrorCode::too_large;
    error.hint = "arguments and environment together are more than the system takes";
  } else if (error.code == ErrorCode::io) {
    error.code = ErrorCode::unavailable;
  }
  return error;
}

std::string_view path_of(const std::vector<std::string>& environment) {
  for (std::string_view entry : environment) {
    if (entry.starts_with("PATH=")) {
      return entry.substr(5);
    }
  }
  return k_default_path;
}

} // namespace

Result<std::string> find_program(const std::string& name, std::string_view path) {
  if (name.find('/') != std::string::npos) {
    return name;
  }
  while (!name.empty() && !path.empty()) {
    std::string_view folder = path.substr(0, path.find(':'));
    path.remove_prefix(std::min(folder.size() + 1, path.size()));
    std::string file = std::string(folder) + "/" + name;

    struct stat about {};

    // A relative folder would be one of whoever wrote what lies in the working directory.
    if (folder.starts_with('/') && ::access(file.c_str(), X_OK) == 0
        && ::stat(file.c_str(), &about) == 0 && S_ISREG(about.st_mode)) {
      return file;
    }
  }
  return fail(ErrorCode::not_found,
              "there is no program " + in_backticks(name),
              "install it, or put its folder into `PATH`");
}

Result<StartedChild> start_child(const std::vector<std::string>& argv,
                                 const std::vector<std::string>& environment,
                                 const std::string& folder,
                                 const std::optional<std::string>& input,
                                 const std::vector<ResourceLimit>& limits,
                                 const std::vector<int>& descriptors) {
  if (argv.empty() || argv.front().empty()) {
    return fail(ErrorCode::invalid_argument, "there is no program to run");
  }
  if (has_zero(argv) || has_zero(environment) || folder.find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid_argument, "a program's arguments must not have zero bytes");
  }
  TRY_ASSIGN(std::string program, find_program(argv.front(), path_of(environment)));
  TRY_ASSIGN(UniqueFd standard_input, input_of(input));
  TRY_ASSIGN(Pipe output, make_pipe());
  TRY_ASSIGN(Pipe errors, make_pipe());
  TRY_ASSIGN(Pipe status, make_pipe());
  if (descriptors.size() > static_cast<std::size_t>(k_first_free) - 3) {
    return fail(ErrorCode::invalid_argument, "a program cannot be given so many descriptors");
  }
  std::vector<UniqueFd> moved;
  std::vector<int> given;
  for (int descriptor : descriptors) {
    TRY_ASSIGN(UniqueFd copy, out_of_the_way(descriptor));
    given.push_back(copy.get());
    moved.push_back(std::move(copy));
  }
  std::vector<char*> argv_pointers = pointers(argv);
  std::vector<char*> environment_pointers = pointers(environment);
  std::vector<rlimit> bounds;
  std::vector<int> resources;
  for (const ResourceLimit& limit : limits) {
    bounds.push_back({limit.most, limit.most});
    resources.push_back(limit.resource);
  }
  const Plan plan{program.c_str(),
                  argv_pointers.data(),
                  environment_pointers.data(),
                  folder.empty() ? "/" : folder.c_str(),
                  bounds.data(),
                  resources.data(),
                  bounds.size(),
                  standard_input.get(),
                  output.write.get(),
                  errors.write.get(),
                  given.data(),
                  static_cast<int>(given.size()),
                  status.write.get(),
                  ::getpid()};
  StartedChild child;
  child.pid = start(plan);
  if (child.pid < 0) {
    Error error = system_error(errno, "a process for " + in_backticks(argv.front()));
    error.code = ErrorCode::unavailable;
    return fail(std::move(error));
  }
  status.write.reset();
  Failure failure{};
  ssize_t count = 0;
  do {
    count = ::read(status.read.get(), &failure, sizeof failure);
  } while (count < 0 && errno == EINTR);
  if (count == static_cast<ssize_t>(sizeof failure)) {
    ::waitpid(child.pid, nullptr, 0);
    return fail(explain(failure, argv.front(), folder));
  }
  // Nobody else reaps it, so the number is still its own.
  child.process.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0U)));
  if (!child.process) {
    Error error = system_error(errno, "waiting for " + in_backticks(argv.front()));
    ::kill(-child.pid, SIGKILL);
    ::waitpid(child.pid, nullptr, 0);
    return fail(std::move(error));
  }
  child.output = std::move(output.read);
  child.errors = std::move(errors.read);
  for (int fd : {child.output.get(), child.errors.get()}) {
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
  }
  return child;
}

} // namespace upskill::runtime
