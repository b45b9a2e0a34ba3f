#include "daemon/await.h"
#include "daemon/runtime/child_process.h"
#include "daemon/runtime/task_group.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::runtime;
using namespace std::chrono_literals;

namespace {

ChildProgram shell(std::string script) {
  ChildProgram program;
  program.argv = {"/bin/sh", "-c", std::move(script)};
  program.environment = {"PATH=/usr/bin:/bin"};
  program.limit = 60s;
  return program;
}

asio::awaitable<void> run_into(ChildProgram program, std::optional<Result<ChildEnd>>* into) {
  AWAIT(Result<ChildEnd> end, run_child(std::move(program)));
  into->emplace(std::move(end));
}

Result<ChildEnd> run(ChildProgram program) {
  asio::io_context io;
  std::optional<Result<ChildEnd>> end;
  tests::run_coroutine(io, run_into(std::move(program), &end));
  return std::move(*end);
}

ChildEnd ended(ChildProgram program) {
  Result<ChildEnd> end = run(std::move(program));
  if (!end) {
    FAIL(end.error().message);
  }
  return *end;
}

int open_descriptors() {
  int count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder)) {
    ++count;
  }
  ::closedir(folder);
  return count;
}

bool has_children() {
  return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD;
}

// Whether it has ended: it may take a moment, because init reaps it and not we.
bool is_gone(pid_t pid) {
  auto until = Clock::now() + 10s;
  while (::kill(pid, 0) == 0 && Clock::now() < until) {
    ::sched_yield();
  }
  return ::kill(pid, 0) != 0 && errno == ESRCH;
}

} // namespace

TEST_SUITE("run_child") {
  TEST_CASE("output, errors and exit code arrive apart") {
    const ChildEnd end = ended(shell("echo out; echo err >&2; exit 7"));
    CHECK(end.exit_code == 7);
    CHECK_FALSE(end.signal);
    CHECK(end.output == "out\n");
    CHECK(end.errors == "err\n");
    CHECK_FALSE(end.is_success());
    CHECK(ended(shell("true")).is_success());
  }

  TEST_CASE("a signal is told as one") {
    const ChildEnd end = ended(shell("kill -9 $$"));
    CHECK(end.signal == SIGKILL);
    CHECK_FALSE(end.exit_code);
  }

  TEST_CASE("the environment is what is given and nothing else") {
    ::setenv("UPSKILL_TEST_SECRET", "hush", 1);
    ChildProgram program;
    program.argv = {"env"};
    program.environment = {"PATH=/usr/bin:/bin", "A=b c"};
    CHECK(ended(program).output == "PATH=/usr/bin:/bin\nA=b c\n");
    ::unsetenv("UPSKILL_TEST_SECRET");
  }

  TEST_CASE("it runs in its folder") {
    ChildProgram program = shell("pwd");
    program.folder = "/usr/bin";
    CHECK(ended(program).output == "/usr/bin\n");
    CHECK(ended(shell("pwd")).output == "/\n");
  }

  TEST_CASE("input arrives whole, and there is none where none is given") {
    CHECK(ended(shell("cat")).output.empty());
    ChildProgram program = shell("cat");
    program.input = std::string(1u << 20, 'x') + "\n";
    CHECK(ended(program).output.size() == program.max_output);
    program.argv = {"/bin/sh", "-c", "wc -c"};
    CHECK(std::stol(ended(program).output) == (1 << 20) + 1);
    // Whoever does not read it keeps nobody waiting.
    program.argv = {"/bin/sh", "-c", "exec <&-; echo done"};
    CHECK(ended(program).output == "done\n");
    // Programs that open it by name get it, too.
    program.input = "by name";
    program.argv = {"/bin/sh", "-c", "cat /dev/stdin"};
    CHECK(ended(program).output == "by name");
  }

  TEST_CASE("ten megabytes of output: the first bytes are kept, the program ends by itself") {
    ChildProgram program = shell("yes 123456789 | head -c 10000000; echo end >&2");
    program.max_output = 1000;
    ChildEnd end = ended(program);
    CHECK(end.exit_code == 0);
    CHECK(end.output.size() == 1000);
    CHECK(end.output_truncated);
    CHECK(end.errors == "end\n");
    CHECK_FALSE(end.errors_truncated);
    // Exactly as much as is kept is not too much.
    program = shell("printf 12345");
    program.max_output = 5;
    CHECK_FALSE(ended(program).output_truncated);
  }

  TEST_CASE("it is ended for its output where that is asked for") {
    ChildProgram program = shell("yes");
    program.max_output = 1000;
    program.excess = Excess::kill;
    const ChildEnd end = ended(program);
    CHECK(end.was_excess);
    CHECK_FALSE(end.timed_out);
    CHECK(end.output.size() == 1000);
    CHECK(end.signal == SIGTERM);
  }

  TEST_CASE("lines are told as they come, beyond what is kept, and long ones cut") {
    std::vector<std::string> lines;
    ChildProgram program = shell("echo one; echo; printf '%010d\\nlast' 7");
    program.max_output = 2;
    program.max_line = 4;
    program.on_line = [&lines](std::string_view line) { lines.emplace_back(line); };
    CHECK(ended(program).output == "on");
    CHECK(lines == std::vector<std::string>{"one", "", "0000", "last"});
  }

  TEST_CASE("one that ignores SIGTERM is killed when its time is up") {
    ChildProgram program = shell("trap '' TERM; echo on; while :; do sleep 100; done");
    program.limit = 200ms;
    program.grace = 100ms;
    const ChildEnd end = ended(program);
    CHECK(end.timed_out);
    CHECK_FALSE(end.is_idle);
    CHECK(end.signal == SIGKILL);
    CHECK(end.output == "on\n");
    CHECK(end.took >= 300ms);
    CHECK_FALSE(end.is_success());
  }

  TEST_CASE("one that heeds SIGTERM has its grace") {
    ChildProgram program = shell("trap 'echo bye; exit 3' TERM; echo on; sleep 100 & wait");
    program.limit = 500ms;
    program.grace = 60s;
    const ChildEnd end = ended(program);
    CHECK(end.timed_out);
    CHECK(end.exit_code == 3);
    CHECK(end.output == "on\nbye\n");
  }

  TEST_CASE("silence has a limit of its own") {
    ChildProgram program = shell("echo a; exec sleep 1000");
    program.idle_limit = 200ms;
    const ChildEnd end = ended(program);
    CHECK(end.timed_out);
    CHECK(end.is_idle);
    CHECK(end.output == "a\n");
    // Whoever goes on talking is not silent.
    program = shell("for i in 1 2 3 4 5 6; do echo $i; sleep 0.05; done");
    program.idle_limit = 30s;
    CHECK(ended(program).is_success());
  }

  TEST_CASE("grandchildren that hold the pipes keep nobody waiting, and end") {
    const ChildEnd end = ended(shell("sleep 1000 & echo $!"));
    CHECK(end.is_success());
    CHECK(is_gone(std::stoi(end.output)));
    // One in a session of its own gets away, and yet nobody waits for it.
    const ChildEnd away =
        ended(shell("echo $(setsid sh -c 'echo $$; exec sleep 1000 >/dev/null' &)"));
    CHECK(away.exit_code == 0);
    ::kill(std::stoi(away.output), SIGKILL);
  }

  TEST_CASE("a cancellation ends the program first") {
    asio::io_context io;
    std::string seen;
    std::exception_ptr failure;
    {
      TaskGroup tasks(io.get_executor(), [&](std::exception_ptr thrown) { failure = thrown; });
      ChildProgram program = shell("trap '' TERM; sleep 1000 & echo $!; wait; wait");
      program.grace = 50ms;
      std::optional<Result<ChildEnd>> end;
      program.on_line = [&](std::string_view line) {
        seen = line;
        tasks.cancel_all();
      };
      tasks.start(run_into(std::move(program), &end));
      tests::run_coroutine(io, tasks.join());
      CHECK_FALSE(end);
    }
    CHECK_FALSE(failure);
    REQUIRE_FALSE(seen.empty());
    CHECK(is_gone(std::stoi(seen)));
    CHECK_FALSE(has_children());
  }

  TEST_CASE("a loop that ends takes the program with it") {
    pid_t pid = 0;
    {
      asio::io_context io;
      std::optional<Result<ChildEnd>> end;
      ChildProgram program = shell("echo $$; exec sleep 1000");
      program.on_line = [&](std::string_view line) {
        pid = std::stoi(std::string(line));
        io.stop();
      };
      asio::co_spawn(io, run_into(std::move(program), &end), [](std::exception_ptr) {});
      io.run();
    }
    CHECK(::kill(pid, 0) != 0);
    CHECK_FALSE(has_children());
  }

  TEST_CASE("bounds of the kernel are set") {
    ChildProgram program = shell("ulimit -n; ulimit -c");
    program.limits = {{RLIMIT_NOFILE, 17}, {RLIMIT_CORE, 0}};
    CHECK(ended(program).output == "17\n0\n");
  }

  TEST_CASE("signals are as a new program expects them") {
    auto before = ::signal(SIGPIPE, SIG_IGN);
    CHECK(ended(shell("yes | head -n 1; grep -E 'SigIgn|SigBlk' /proc/self/status")).output
          == "y\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    ::signal(SIGPIPE, before);
  }

  TEST_CASE("no descriptor of ours is there, and none is left here") {
    int fd = ::open("/dev/null", O_RDONLY); // without close-on-exec, on purpose
    REQUIRE(fd >= 0);
    int before = open_descriptors();
    // `ls` itself opens the folder.
    CHECK(ended(shell("ls /proc/self/fd | wc -l")).output == "4\n");
    for (int i = 0; i < 50; ++i) {
      CHECK(ended(shell("exit 0")).exit_code == 0);
    }
    CHECK_FALSE(run(shell(std::string(4u << 20, 'x'))));
    CHECK(open_descriptors() == before);
    CHECK_FALSE(has_children());
    ::close(fd);
  }

  TEST_CASE("descriptors that it is given are its 3, 4 and so on") {
    int zero = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
    int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ChildProgram program =
        shell("readlink /proc/self/fd/3 /proc/self/fd/4; ls /proc/self/fd | wc -l");
    program.descriptors = {null, zero};
    CHECK(ended(program).output == "/dev/null\n/dev/zero\n6\n");
    ::close(zero);
    ::close(null);
  }

  TEST_CASE("what cannot be started says why") {
    ChildProgram program;
    program.argv = {"upskill-has-no-such-program"};
    CHECK(run(program).error().code == ErrorCode::not_found);
    CHECK(run(program).error().message == "there is no program `upskill-has-no-such-program`");
    program.argv = {"/nowhere/at/all"};
    CHECK(run(program).error().code == ErrorCode::not_found);
    program.argv = {"/etc/passwd"};
    CHECK(run(program).error().code == ErrorCode::permission);
    program.argv = {};
    CHECK(run(program).error().code == ErrorCode::invalid_argument);
    program.argv = {"/bin/echo", std::string("a\0b", 3)};
    CHECK(run(program).error().code == ErrorCode::invalid_argument);
    program.argv = {"/bin/echo", std::string(4u << 20, 'x')};
    CHECK(run(program).error().code == ErrorCode::too_large);
    program.argv = {"/bin/echo"};
    program.folder = "/nowhere/at/all";
    CHECK(run(program).error().code == ErrorCode::not_found);
    CHECK(run(program).error().message.find("/nowhere/at/all") != std::string::npos);
    CHECK_FALSE(has_children());
  }

  TEST_CASE("programs run side by side") {
    asio::io_context io;
    std::vector<std::optional<Result<ChildEnd>>> ends(20);
    TaskGroup tasks(io.get_executor(), [](std::exception_ptr) { FAIL("thrown"); });
    for (std::size_t i = 0; i < ends.size(); ++i) {
      tasks.start(run_into(shell("echo " + std::to_string(i)), &ends[i]));
    }
    tests::run_coroutine(io, tasks.join());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      REQUIRE(ends[i]);
      CHECK((*ends[i])->output == std::to_string(i) + "\n");
    }
  }
}
