#include "clients/connect/child.h"
#include "clients/connect/context.h"
#include "clients/connect/process.h"
#include "clients/connect/socket.h"
#include "clients/connect/start.h"
#include "tests/unit/clients_folder.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <map>

using namespace upskill;
using namespace upskill::connect;
using clients_test::Folder;

namespace {

Environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](std::string_view name) {
    auto found = variables.find(std::string(name));
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

Places places_in(const Folder& folder) {
  auto places = find_places(environment_of({{"HOME", folder.path()}}));
  REQUIRE(places);
  return *places;
}

// Listens where a daemon would.
UniqueFd listen_at(const Places& places) {
  REQUIRE(make_directories(places.run(), 0700));
  std::string path = socket_path(places, ::geteuid());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(listener.get(), 5) == 0);
  return listener;
}

} // namespace

TEST_SUITE("check_run_folder") {
  TEST_CASE("trusts a folder of our own that is closed to others, and an absent one") {
    Folder folder;
    REQUIRE(::mkdir((folder / "run").c_str(), 0700) == 0);
    bool own = check_run_folder(folder / "run").has_value();
    CHECK(own);
    bool absent = check_run_folder(folder / "nothing").has_value();
    CHECK(absent);
    folder.passed(own && absent);
  }

  TEST_CASE("refuses a link, a file and an open folder, and names them") {
    Folder folder;
    REQUIRE(::mkdir((folder / "run").c_str(), 0700) == 0);
    REQUIRE(::symlink((folder / "run").c_str(), (folder / "link").c_str()) == 0);
    REQUIRE(::mkdir((folder / "open").c_str(), 0700) == 0);
    REQUIRE(::chmod((folder / "open").c_str(), 0770) == 0);
    REQUIRE(write_file_atomically(folder / "file", "", 0600, Durability::process_crash));
    bool all = true;
    for (std::string_view name : {"link", "open", "file"}) {
      auto checked = check_run_folder(folder / name);
      REQUIRE_FALSE(checked);
      CHECK(checked.error().code == ErrorCode::refused);
      bool named = checked.error().message.find(folder / name) != std::string::npos;
      CHECK(named);
      all = all && named;
    }
    folder.passed(all);
  }
}

TEST_SUITE("connect_to_daemon") {
  TEST_CASE("meets the one that listens") {
    Folder folder;
    Places places = places_in(folder);
    UniqueFd listener = listen_at(places);
    bool met = connect_to_daemon(places).has_value();
    CHECK(met);
    folder.passed(met);
  }

  TEST_CASE("says that none is there when the socket is absent or dead") {
    Folder folder;
    Places places = places_in(folder);
    auto absent = connect_to_daemon(places);
    REQUIRE_FALSE(absent);
    CHECK(absent.error().code == ErrorCode::unavailable);
    listen_at(places).reset();
    auto dead = connect_to_daemon(places);
    REQUIRE_FALSE(dead);
    CHECK(dead.error().code == ErrorCode::unavailable);
    folder.passed(true);
  }

  TEST_CASE("takes one that is ending for gone, though its socket still takes connections") {
    Folder folder;
    Places places = places_in(folder);
    UniqueFd listener = listen_at(places);
    pid_t child = ::fork();
    if (child == 0) {
      // Who listens last is at the other end; the socket stays open, for it is its parent's, too.
      ::_exit(::listen(listener.get(), 5) == 0 ? 0 : 1);
    }
    REQUIRE(wait_for_end(child, 5000));
    auto ending = connect_to_daemon(places);
    int code = -1;
    REQUIRE(::waitpid(child, &code, 0) == child);
    REQUIRE(code == 0);
    REQUIRE_FALSE(ending);
    CHECK(ending.error().code == ErrorCode::unavailable);
    folder.passed(true);
  }
}

TEST_SUITE("start_daemon") {
  TEST_CASE("waits for the byte that says it listens, and logs what it prints") {
    Folder folder;
    StartPlan plan;
    plan.log = folder / "state/log";
    plan.program = folder.program("daemon", "echo \"$@\"; echo complaint >&2; printf x >&$2\n");
    auto started = start_daemon(plan);
    REQUIRE(started);
    auto log = read_file(plan.log, 1000);
    REQUIRE(log);
    bool logged = *log == "--ready-fd 3\ncomplaint\n";
    CHECK(logged);
    folder.passed(logged);
  }

  TEST_CASE("takes one that leaves the place to another for started") {
    Folder folder;
    StartPlan plan;
    plan.log = folder / "log";
    plan.program = folder.program("daemon", "exit 0\n");
    bool started = start_daemon(plan).has_value();
    CHECK(started);
    folder.passed(started);
  }

  TEST_CASE("gives it no descriptor but its own, a session of its own and the root folder") {
    Folder folder;
    UniqueFd other(::open(folder.path().c_str(), O_RDONLY)); // without O_CLOEXEC
    StartPlan plan;
    plan.log = folder / "log";
    plan.program = folder.program(
        "daemon", "pwd; ls /proc/$$/fd; read line; echo \"[$line]\"; printf x >&3\n");
    REQUIRE(start_daemon(plan));
    auto log = read_file(plan.log, 1000);
    REQUIRE(log);
    // 10 is where the shell keeps its script.
    bool bare = *log == "/\n0\n1\n10\n2\n3\n[]\n";
    CHECK_MESSAGE(bare, *log);
    folder.passed(bare);
  }

  TEST_CASE("fails where the program cannot be executed") {
    Folder folder;
    StartPlan plan;
    plan.log = folder / "log";
    plan.program = folder / "nothing";
    auto started = start_daemon(plan);
    REQUIRE_FALSE(started);
    CHECK(started.error().code == ErrorCode::not_found);
    CHECK(started.error().message.find(plan.program) != std::string::npos);
    folder.passed(true);
  }

  TEST_CASE("goes without a scope when the scope's runner fails") {
    Folder folder;
    StartPlan plan;
    plan.log = folder / "log";
    plan.scope = {folder.program("runner", "exit 1\n"), "--scope", "--"};
    plan.program = folder.program("daemon", "echo started; printf x >&3\n");
    REQUIRE(start_daemon(plan));
    auto log = read_file(plan.log, 1000);
    bool ran = log && *log == "started\n";
    CHECK(ran);
    folder.passed(ran);
  }

  TEST_CASE("runs it within the scope where there is one") {
    Folder folder;
    StartPlan plan;
    plan.log = folder / "log";
    plan.scope = {folder.program("runner", "echo scope; shift 2; exec \"$@\"\n"), "--scope", "--"};
    plan.program = folder.program("daemon", "echo started; printf x >&3\n");
    REQUIRE(start_daemon(plan));
    auto log = read_file(plan.log, 1000);
    bool ran = log && *log == "scope\nstarted\n";
    CHECK(ran);
    folder.passed(ran);
  }
}

TEST_SUITE("wait_for_end") {
  TEST_CASE("tells a living process from one that has ended, though nobody took notice") {
    CHECK_FALSE(wait_for_end(::getpid(), 0));
    pid_t child = ::fork();
    if (child == 0) {
      ::_exit(0);
    }
    CHECK(wait_for_end(child, 5000)); // a zombie until the next line
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    CHECK(wait_for_end(child, 0));
  }

  TEST_CASE("knows who is at the other end") {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    UniqueFd first(ends[0]);
    UniqueFd second(ends[1]);
    CHECK(peer_of(first.get()) == ::getpid());
  }
}

TEST_SUITE("find_daemon_program") {
  TEST_CASE("looks along PATH, in absolute folders only") {
    Folder folder;
    std::string program = folder.program("upskilld", "");
    auto found = find_daemon_program(environment_of({{"PATH", "relative:" + folder.path()}}));
    // Beside the test's own program there is none, unless the whole tree was built.
    REQUIRE(found);
    bool right = found->ends_with("/upskilld");
    CHECK(right);
    folder.passed(right);
  }
}

TEST_SUITE("collect_context") {
  TEST_CASE("takes the named variables and no others") {
    CallContext context = collect_context(environment_of({{"ANTHROPIC_API_KEY", "k"},
                                                          {"OPENAI_API_KEY", ""},
                                                          {"SECRET", "s"},
                                                          {"UPSKILL_CONFIG", "/c.yaml"}}));
    CHECK(context.environment.size() == 2);
    CHECK(context.environment.at("ANTHROPIC_API_KEY") == "k");
    CHECK(context.config == "/c.yaml");
    CHECK_FALSE(context.cwd.empty());
  }
}
