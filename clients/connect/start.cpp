#include "clients/connect/start.h"

#include "clients/connect/child.h"
#include "clients/connect/interrupt.h"
#include "clients/connect/process.h"
#include "clients/connect/socket.h"
#include "protocol/base/atomic_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace upskill::connect {
namespace {

bool is_program(const std::string& path) {
  return ::access(path.c_str(), X_OK) == 0;
}

std::string own_folder() {
  char buffer[4096];
  ssize_t length = ::readlink("/proc/self/exe", buffer, sizeof buffer);
  return length <= 0 ? std::string()
                     : parent_path(std::string_view(buffer, static_cast<std::size_t>(length)));
}

std::string find_on_path(std::string_view name, const Environment& environment) {
  std::string path = environment("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t at = 0; at <= path.size();) {
    std::size_t end = std::min(path.find(':', at), path.size());
    std::string_view folder = std::string_view(path).substr(at, end - at);
    if (folder.starts_with('/')) {
      std::string candidate = join_path(folder, name);
      if (is_program(candidate)) {
        return candidate;
      }
    }
    at = end + 1;
  }
  return {};
}

// True when the user's systemd takes connections, which a sandbox usually hides.
bool systemd_answers() {
  std::string path = "/run/user/" + std::to_string(::geteuid()) + "/systemd/private";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return socket
         && ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

struct Pipe {
  UniqueFd reader;
  UniqueFd writer;
};

Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return fail(system_error(errno, "a pipe for the daemon"));
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

constexpr int k_most_starts = 3;
constexpr long k_holder_pause_ms = 10;

// Whether the process named in the lock file is there. The lock itself is not tried: that could
// make a daemon that is just starting believe that there is another.
bool lock_holder_lives(const Places& places) {
  Result<std::string> text = read_file(places.lock(), 64);
  pid_t holder = 0;
  bool named =
      text && std::from_chars(text->data(), text->data() + text->size(), holder).ec == std::errc{}
      && holder > 0;
  return named && !wait_for_end(holder, 0);
}

enum class Readiness { listens, left, late, interrupted };

Readiness wait_until_ready(int descriptor) {
  long deadline = steady_ms() + k_start_limit_ms;
  for (;;) {
    pollfd entry{descriptor, POLLIN, 0};
    int ready = wait({&entry, 1}, std::max(0L, deadline - steady_ms()));
    if (ready <= 0) {
      return ready == 0 ? Readiness::late : Readiness::interrupted;
    }
    char byte = 0;
    ssize_t got = ::read(descriptor, &byte, 1);
    if (got >= 0 || errno != EINTR) {
      return got == 1 ? Readiness::listens : Readiness::left;
    }
  }
}

} // namespace

Result<std::string> find_daemon_program(const Environment& environment) {
  for (const std::string& folder : {own_folder(), std::string(UPSKILL_INSTALL_BIN)}) {
    std::string candidate = join_path(folder, "upskilld");
    if (!folder.empty() && is_program(candidate)) {
      return candidate;
    }
  }
  std::string candidate = find_on_path("upskilld", environment);
  if (candidate.empty()) {
    return fail(ErrorCode::not_found,
                "the program `upskilld` is neither beside `upskill` nor on PATH",
                "install both into the same folder");
  }
  return candidate;
}

StartPlan plan_start(std::string program, const Places& places, const Environment& environment) {
  StartPlan plan;
  plan.program = std::move(program);
  plan.log = places.state + "/upskilld.log";
  if (systemd_answers()) {
    std::string runner = find_on_path("systemd-run", environment);
    if (!runner.empty()) {
      plan.scope = {runner, "--user", "--scope", "--quiet", "--collect", "--"};
    }
  }
  return plan;
}

Result<void> start_daemon(const StartPlan& plan) {
  TRY(make_directories(parent_path(plan.log), 0700));
  TRY_ASSIGN(Pipe ready, make_pipe());
  ChildPlan child;
  child.words = plan.scope;
  child.words.push_back(plan.program);
  child.words.insert(child.words.end(), plan.options.begin(), plan.options.end());
  child.words.insert(child.words.end(), {"--ready-fd", std::to_string(k_child_descriptor)});
  child.log = plan.log;
  child.keep = ready.writer.get();
  TRY(spawn_detached(child));
  ready.writer.reset();
  switch (wait_until_ready(ready.reader.get())) {
  case Readiness::listens:
    return {};
  case Readiness::interrupted:
    return fail(ErrorCode::cancelled, "interrupted");
  case Readiness::late:
    return fail(ErrorCode::timed_out,
                "the daemon did not listen within 5 seconds",
                "`" + plan.log + "` may say why");
  case Readiness::left:
    break;
  }
  if (!plan.scope.empty()) {
    // systemd-run itself may be what failed: once more without it.
    StartPlan plain = plan;
    plain.scope.clear();
    return start_daemon(plain);
  }
  return {};
}

Result<UniqueFd> connect_or_start(const Places& places,
                                  const Environment& environment,
                                  std::vector<std::string> options) {
  Result<UniqueFd> socket = connect_to_daemon(places);
  if (socket || socket.error().code != ErrorCode::unavailable) {
    return socket;
  }
  TRY_ASSIGN(std::string program, find_daemon_program(environment));
  StartPlan plan = plan_start(std::move(program), places, environment);
  plan.options.insert(plan.options.end(), options.begin(), options.end());
  long deadline = steady_ms() + k_start_limit_ms;
  for (int starts = 0; steady_ms() < deadline;) {
    // A daemon that left the place to another says nothing: the other may not listen yet, or may be
    // on its way out and still hold the lock.
    if (starts > 0 && lock_holder_lives(places)) {
      if (wait({}, k_holder_pause_ms) < 0) {
        return fail(ErrorCode::cancelled, "interrupted");
      }
    } else if (starts++ == k_most_starts) {
      break;
    } else {
      TRY(start_daemon(plan));
    }
    socket = connect_to_daemon(places);
    if (socket || socket.error().code != ErrorCode::unavailable) {
      return socket;
    }
  }
  return fail(ErrorCode::unavailable,
              "the daemon does not stay up",
              "`" + plan.log + "` says why, or run `upskill daemon run` to see it");
}

Result<UniqueFd> start_private_daemon(const Places& places, const Environment& environment) {
  if (names_state(environment)) {
    // The lock decides; this is only to tell at once.
    Result<UniqueFd> running = connect_to_daemon(places);
    if (running) {
      return fail(ErrorCode::busy,
                  "a daemon runs on the state `" + places.state + "`, which two may not share",
                  "leave out `--private` (or unset CI) to use that one, or end it with "
                  "`upskill daemon stop`");
    }
    if (running.error().code != ErrorCode::unavailable) {
      return running;
    }
  }
  TRY_ASSIGN(std::string program, find_daemon_program(environment));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return fail(system_error(errno, "a socket pair for the daemon"));
  }
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  ChildPlan child;
  // It shares stderr with the command, where only what a person should know belongs.
  child.words = {
      std::move(program), "--private", std::to_string(k_child_descriptor), "--log", "warning"};
  child.keep = theirs.get();
  TRY(spawn_detached(child));
  return ours;
}

} // namespace upskill::connect
