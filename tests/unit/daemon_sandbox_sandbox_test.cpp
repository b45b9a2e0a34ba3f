#include "daemon/await.h"
#include "daemon/runtime/task_group.h"
#include "daemon/sandbox/private_folder.h"
#include "daemon/sandbox/sandbox.h"
#include "protocol/base/atomic_file.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

using namespace upskill;
using namespace upskill::sandbox;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;
using runtime::ChildEnd;

asio::awaitable<void>
run_into(Sandbox* sandbox, Enclosed enclosed, std::optional<Result<ChildEnd>>* into) {
  AWAIT(Result<ChildEnd> end, sandbox->run(std::move(enclosed)));
  into->emplace(std::move(end));
}

Result<ChildEnd> run(Enclosed enclosed, std::string program = "bwrap") {
  asio::io_context io;
  Sandbox sandbox(std::move(program));
  std::optional<Result<ChildEnd>> end;
  tests::run_coroutine(io, run_into(&sandbox, std::move(enclosed), &end));
  return std::move(*end);
}

// A workspace, and what is done in it.
struct World {
  World()
      : folder(*PrivateFolder::make()) {}

  Enclosed shell(std::string script) const {
    Enclosed enclosed;
    enclosed.program.argv = {"sh", "-c", std::move(script)};
    enclosed.workspace = folder.path();
    return enclosed;
  }

  ChildEnd ended(std::string script) const { return ended(shell(std::move(script))); }

  static ChildEnd ended(Enclosed enclosed) {
    Result<ChildEnd> end = run(std::move(enclosed));
    if (!end) {
      FAIL(end.error().message);
    }
    return *end;
  }

  std::string output(std::string script) const { return ended(std::move(script)).output; }

  PrivateFolder folder;
};

// Where bubblewrap does not work there is nothing to try.
bool works() {
  static const Result<ChildEnd> tried = run(World().shell("true"));
  if (!tried) {
    MESSAGE("skipped: ", tried.error().message);
  }
  return tried.has_value();
}

std::size_t processes_like(const std::string& word) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    // Not a stream: what ends while it is read would make that throw.
    std::string line = read_file(entry.path().string() + "/cmdline", 1u << 20).value_or("");
    count += line.find(word) != std::string::npos && line.find("sleep") == 0 ? 1 : 0;
  }
  return count;
}

// What was started inside ends with the sandbox, a moment later: the kernel does it.
bool all_gone(const std::string& word) {
  auto until = runtime::Clock::now() + 10s;
  while (processes_like(word) > 0 && runtime::Clock::now() < until) {
    ::sched_yield();
  }
  return processes_like(word) == 0;
}

// Somebody on this machine's loopback who would answer.
class Listener {
public:
  Listener()
      : m_fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(m_fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(m_fd.get(), 10) == 0);
    socklen_t size = sizeof address;
    ::getsockname(m_fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
    m_port = ntohs(address.sin_port);
  }

  std::string connecting() const {
    return "bash -c 'exec 3<>/dev/tcp/127.0.0.1/" + std::to_string(m_port) + " && echo reached'";
  }

private:
  UniqueFd m_fd;
  int m_port = 0;
};

} // namespace

TEST_SUITE("Sandbox") {
  TEST_CASE("a command runs in its workspace, and what it makes is there afterwards") {
    if (!works()) {
      return;
    }
    World world;
    tests::put_file(world.folder.path() + "/in.txt", "hello");
    const ChildEnd end = world.ended("pwd; cat in.txt; echo made > out.txt; echo e >&2; exit 7");
    CHECK(end.exit_code == 7);
    CHECK(end.output == "/workspace\nhello");
    CHECK(end.errors == "e\n");
    CHECK(tests::file_text(world.folder.path() + "/out.txt") == "made\n");
  }

  TEST_CASE("input arrives, and a signal is told as shells tell it, a missing program too") {
    if (!works()) {
      return;
    }
    World world;
    Enclosed enclosed = world.shell("cat");
    enclosed.program.input = "the answer";
    CHECK(World::ended(enclosed).output == "the answer");
    enclosed.program.argv = {"cat", "/dev/stdin"};
    CHECK(World::ended(enclosed).output == "the answer");
    CHECK(world.ended("kill -9 $$").exit_code == 137);
    CHECK(world.ended("no-such-program").exit_code == 127);
    enclosed.program.argv = {"no-such-program"};
    CHECK(World::ended(enclosed).exit_code == 127);
  }

  TEST_CASE("files of the machine are not there") {
    if (!works()) {
      return;
    }
    World world;
    tests::TemporaryFolder outside;
    tests::put_file(outside / "secret", "hush");
    fs::create_symlink(outside / "secret", world.folder.path() + "/link");
    fs::create_directory_symlink("/", world.folder.path() + "/root");
    const char* home = std::getenv("HOME");
    REQUIRE(home);
    for (std::string path : {outside / "secret",
                             ".." + outside.path() + "/secret",
                             std::string("link"),
                             std::string("root") + outside.path() + "/secret",
                             "/proc/1/root" + outside.path() + "/secret",
                             std::string("/etc/shadow"),
                             std::string("/root"),
                             std::string("/sys/kernel"),
                             std::string("/var/lib")}) {
      CAPTURE(path);
      const ChildEnd end = world.ended("head -c 99 " + path + " || ls " + path + "/");
      CHECK(end.exit_code != 0);
      CHECK(end.output.empty());
    }
    // It has a home, and that is empty.
    CHECK(world.output("cd && pwd && ls -A") == "/home\n");
    bool is_inside_too = std::string(home).starts_with("/home") || home == std::string("/tmp");
    CHECK((is_inside_too || world.ended(std::string("ls -d ") + home).exit_code != 0));
    // Nor are the names of what lies in the folder that workspaces are made in.
    CHECK(world.output("ls -A /tmp").empty());
  }

  TEST_CASE("nothing but the workspace and scratch can be written to") {
    if (!works()) {
      return;
    }
    World world;
    for (std::string path : {"/x",
                             "/usr/x",
                             "/etc/x",
                             "/dev/x",
                             "/bin/x",
                             "/proc/sys/kernel/hostname",
                             "/proc/sys/kernel/core_pattern"}) {
      CAPTURE(path);
      CHECK(world
                .ended("if [ -e " + path + " ]; then cat " + path + " > " + path
                       + "; else echo x > " + path + "; fi")
                .exit_code
            != 0);
      CHECK_FALSE(fs::exists("/usr/x"));
    }
    CHECK(world.ended("echo x > /tmp/x && echo x > /home/x && echo x > /dev/shm/x").exit_code == 0);
    CHECK_FALSE(fs::exists("/tmp/x"));
  }

  TEST_CASE("a folder that is mounted for reading can only be read") {
    if (!works()) {
      return;
    }
    World world;
    tests::TemporaryFolder skill;
    tests::put_file(skill / "SKILL.md", "do it");
    Enclosed enclosed = world.shell("cat /skills/s/SKILL.md; echo x > /skills/s/SKILL.md || "
                                    "touch /skills/s/new || chmod 777 /skills/s || "
                                    "mv /skills/s /skills/t || ln /skills/s/SKILL.md . || echo no");
    enclosed.read_only = {{skill.path(), "/skills/s"}};
    CHECK(World::ended(enclosed).output == "do itno\n");
    CHECK(tests::file_text(skill / "SKILL.md") == "do it");
    enclosed.program.argv = {"sh", "-c", "echo x > /skills/s/new"};
    enclosed.writable = std::move(enclosed.read_only);
    enclosed.read_only.clear();
    CHECK(World::ended(enclosed).exit_code == 0);
    CHECK(tests::file_text(skill / "new") == "x\n");
  }

  TEST_CASE("what could stand for the system's is not mounted") {
    World world;
    for (std::string at : {"/", "/usr", "/etc/passwd", "/proc", "relative", "/a/../usr", "/a/"}) {
      CAPTURE(at);
      Enclosed enclosed = world.shell("true");
      enclosed.read_only = {{"/usr/share", at}};
      Result<ChildEnd> end = run(std::move(enclosed));
      REQUIRE_FALSE(end.has_value());
      CHECK((end.error().code == ErrorCode::invalid_argument || !works()));
    }
  }

  TEST_CASE("there is no network") {
    if (!works()) {
      return;
    }
    World world;
    Listener listener;
    // It would be reached, were it not for the sandbox.
    Enclosed enclosed = world.shell(listener.connecting());
    enclosed.share_net = true;
    CHECK(World::ended(enclosed).output == "reached\n");
    CHECK(world.output(listener.connecting()).empty());
    CHECK(world.output("tail -n +3 /proc/net/dev | grep -v lo:").empty());
    // Not by sockets that have names only, either: those of the machine are its network's.
    CHECK(world.output("tail -n +2 /proc/net/unix").empty());
  }

  TEST_CASE("other processes are not to be seen, and the environment is its own") {
    if (!works()) {
      return;
    }
    World world;
    ::setenv("UPSKILL_TEST_SECRET", "hush", 1);
    Enclosed enclosed =
        world.shell("env | sort; cat /proc/*/environ | grep -c hush; ls /proc/self/fd");
    enclosed.program.environment = {"A=b=c", "LANG=C"};
    CHECK(World::ended(enclosed).output
          == "A=b=c\nHOME=/home\nLANG=C\n"
             "PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin\nPWD=/workspace\n"
             "TMPDIR=/tmp\n0\n0\n1\n2\n3\n"); // 3: the folder that `ls` reads
    ::unsetenv("UPSKILL_TEST_SECRET");
    CHECK(world.ended("kill -0 " + std::to_string(::getpid())).exit_code != 0);
    CHECK(world.output("hostname") == "sandbox\n");
  }

  TEST_CASE("it has no rights, and can get none") {
    if (!works()) {
      return;
    }
    World world;
    CHECK(world.output("grep -E 'Cap(Eff|Prm|Bnd)|NoNewPrivs' /proc/self/status")
          == "CapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n"
             "NoNewPrivs:\t1\n");
    CHECK(world.ended("unshare -Ur true").exit_code != 0);
    CHECK(world.ended("mount -t tmpfs x /tmp").exit_code != 0);
  }

  TEST_CASE("time is bounded, for all that it started") {
    if (!works()) {
      return;
    }
    World world;
    Enclosed enclosed = world.shell("echo on; setsid sleep 10071 & sleep 10071");
    enclosed.program.limit = 500ms;
    const ChildEnd end = World::ended(enclosed);
    CHECK(end.timed_out);
    CHECK(end.output == "on\n");
    CHECK(all_gone("10071"));
    // What goes on in the background ends with it as well.
    CHECK(world.ended("setsid sleep 10072 >/dev/null 2>&1 & exit 0").exit_code == 0);
    CHECK(all_gone("10072"));
  }

  TEST_CASE("a cancellation ends all of it") {
    if (!works()) {
      return;
    }
    World world;
    asio::io_context io;
    Sandbox sandbox;
    std::optional<Result<ChildEnd>> end;
    bool was_cancelled = false;
    runtime::TaskGroup tasks(io.get_executor(), [](std::exception_ptr) { FAIL("thrown"); });
    Enclosed enclosed = world.shell("echo on; trap '' TERM; sleep 10073 & wait");
    enclosed.program.on_line = [&](std::string_view) {
      was_cancelled = true;
      tasks.cancel_all();
    };
    tasks.start(run_into(&sandbox, std::move(enclosed), &end));
    tests::run_coroutine(io, tasks.join());
    CHECK(was_cancelled);
    CHECK_FALSE(end);
    CHECK(all_gone("10073"));
  }

  TEST_CASE("processes are bounded") {
    if (!works()) {
      return;
    }
    World world;
    // Not without an end, because the kernel lets root have as many as it likes.
    Enclosed enclosed = world.shell("for i in $(seq 100); do sleep 10074 & done; echo all; wait");
    enclosed.bounds.processes = 20;
    enclosed.program.limit = 2s;
    const ChildEnd end = World::ended(enclosed);
    CHECK(all_gone("10074"));
    if (::geteuid() == 0) {
      MESSAGE("skipped: the kernel does not bound root's processes");
      return;
    }
    CHECK(end.output.empty());
    CHECK(end.exit_code == 2);
  }

  TEST_CASE("memory, files and scratch are bounded") {
    if (!works()) {
      return;
    }
    World world;
    Enclosed enclosed = world.shell("head -c 300000000 /dev/zero | tail -c 200000000 | wc -c");
    enclosed.bounds.memory = 50u << 20;
    CHECK(World::ended(enclosed).output != "200000000\n");
    enclosed = world.shell("head -c 2000000 /dev/zero > big");
    enclosed.bounds.file = 1000000;
    CHECK(World::ended(enclosed).exit_code != 0);
    CHECK(fs::file_size(world.folder.path() + "/big") == 1000000);
    for (const char* scratch : {"/tmp", "/home", "/dev/shm"}) {
      enclosed = world.shell(std::string("head -c 2000000 /dev/zero > ") + scratch + "/big");
      enclosed.bounds.scratch = 1000000;
      CHECK(World::ended(enclosed).exit_code != 0);
    }
  }

  TEST_CASE("ten megabytes of output are read, and the first of them kept") {
    if (!works()) {
      return;
    }
    World world;
    Enclosed enclosed = world.shell("yes 123456789 | head -c 10000000");
    enclosed.program.max_output = 1000;
    const ChildEnd end = World::ended(enclosed);
    CHECK(end.exit_code == 0);
    CHECK(end.output.size() == 1000);
    CHECK(end.output_truncated);
  }

  TEST_CASE("where it does not work nothing runs") {
    World world;
    // No bubblewrap, and ones that do not do it.
    for (const char* program : {"upskill-no-bwrap", "/bin/false", "/bin/true"}) {
      Result<ChildEnd> end = run(world.shell("touch made"), program);
      REQUIRE_FALSE(end.has_value());
      CHECK(end.error().code == ErrorCode::unavailable);
      CHECK(end.error().message.starts_with("the sandbox does not work here: "));
      CHECK(end.error().hint.starts_with("`apt install bubblewrap`"));
    }
    CHECK_FALSE(fs::exists(world.folder.path() + "/made"));
    if (works()) {
      Enclosed enclosed = world.shell("true");
      enclosed.read_only = {{"/nowhere/at/all", "/x"}};
      CHECK(run(enclosed).error().code == ErrorCode::unavailable);
    }
  }
}
