#include "daemon/handlers/watch_teller.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

using namespace upskill;
using namespace upskill::daemon;
using namespace std::chrono_literals;

namespace {

// A person with a configuration, a program of their own and, where there is one, a screen.
class Person {
public:
  Person() {
    std::filesystem::create_directories(m_places.config);
    std::filesystem::create_directories(m_places.state);
    std::filesystem::create_directories(m_folder / "bin");
  }

  std::string operator/(std::string_view name) const { return m_folder / name; }

  void configure(std::string_view watch) {
    tests::put_file(m_places.config + "/config.yaml", "watch:\n" + std::string(watch));
  }

  // A program that is found by its name.
  void program(std::string_view name, std::string_view lines) {
    std::string path = m_folder / "bin/" + std::string(name);
    tests::put_file(path, "#!/bin/sh\ncd " + m_folder.path() + "\n" + std::string(lines) + "\n");
    REQUIRE(::chmod(path.c_str(), 0755) == 0);
  }

  void set(std::string name, std::string value) { m_variables[std::move(name)] = std::move(value); }

  // Has all of them told by a daemon that has just started, to the end.
  void tell(const std::vector<WatchedSkill>& skills,
            runtime::Clock::duration hook_limit = WatchTeller::k_hook_limit) {
    asio::io_context io;
    runtime::Pool pool(2);
    telemetry::Log log = telemetry::Log::open({.path = m_folder / "log"}).value();
    telemetry::Counters counters;
    EngineContext context{
        io, m_places, log, counters, nullptr, [&]() -> runtime::Pool& { return pool; }};
    WatchTeller teller(context, environment(), hook_limit);
    for (const WatchedSkill& skill : skills) {
      teller.take(skill, 0);
      io.restart();
      io.run();
    }
    m_problem = teller.problem();
    tests::run_coroutine(io, teller.stop());
    pool.join();
  }

  std::string text(std::string_view name) const {
    std::ifstream file(m_folder / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::optional<std::string>& problem() const { return m_problem; }

  Environment environment() const {
    return [variables = m_variables](std::string_view name) -> std::optional<std::string> {
      auto found = variables.find(std::string(name));
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
  }

  const Places& places() const { return m_places; }

private:
  tests::TemporaryFolder m_folder;
  Places m_places{m_folder.path(),
                  m_folder / "config",
                  m_folder / "state",
                  m_folder / "data",
                  m_folder / "config"};
  std::map<std::string, std::string> m_variables{
      {"PATH", m_folder / "bin:/usr/bin:/bin"}, {"HOME", m_folder.path()}, {"SECRET_KEY", "sk"}};
  std::optional<std::string> m_problem = {};
};

WatchedSkill verdict_of(std::string name, WatchVerdict verdict, char version) {
  WatchedSkill skill{std::move(name)};
  skill.hash = std::string(64, version);
  skill.accepted = std::string(64, 'a');
  skill.verdict = verdict;
  skill.reason = verdict == WatchVerdict::ok ? WatchReason::held : WatchReason::dropped;
  skill.why = "`haiku` fell from 95% to 50%";
  return skill;
}

WatchedSkill worse(std::string name = "pdf") {
  return verdict_of(std::move(name), WatchVerdict::regressed, 'b');
}

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t times = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + 1)) {
    ++times;
  }
  return times;
}

constexpr std::string_view k_note = "for word; do echo \"[$word]\"; done >>shown; env >>shown_env";

} // namespace

TEST_SUITE("WatchTeller") {
  TEST_CASE("a verdict is shown on the screen, with no more than it needs") {
    Person person;
    person.program("notify-send", k_note);
    person.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    person.set("DISPLAY", ":7");
    person.tell({worse()});
    CHECK(person.text("shown")
          == "[--app-name=upskill]\n[--urgency=critical]\n[--]\n[pdf: REGRESSED]\n"
             "['haiku' fell from 95% to 50%]\n");
    CHECK(count(person.text("shown_env"), "DISPLAY=:7") == 1);
    CHECK(count(person.text("shown_env"), "SECRET_KEY") == 0);
  }

  TEST_CASE("a session bus is also found by its socket") {
    Person person;
    person.program("notify-send", k_note);
    person.set("XDG_RUNTIME_DIR", person / "run");
    person.tell({worse()});
    CHECK(person.text("shown").empty());
    CHECK(count(person.text("log"), "the daemon has no session bus") == 1);
    std::filesystem::create_directories(person / "run/bus");
    person.tell({verdict_of("pdf", WatchVerdict::regressed, 'c')});
    CHECK(count(person.text("shown"), "[pdf: REGRESSED]") == 1);
  }

  TEST_CASE("without notify-send the log says so once") {
    Person person;
    person.set("PATH", person / "bin");
    person.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    person.tell({worse(), worse("xls")});
    CHECK(count(person.text("log"), "there is no `notify-send`") == 1);
  }

  TEST_CASE("nothing is shown where the configuration says so") {
    Person person;
    person.program("notify-send", k_note);
    person.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    person.configure("  notify: false\n");
    person.tell({worse()});
    CHECK(person.text("shown").empty());
    // It is read anew, and counts at once.
    person.configure("  notify: true\n");
    person.tell({verdict_of("pdf", WatchVerdict::regressed, 'c')});
    CHECK(count(person.text("shown"), "[pdf: REGRESSED]") == 1);
  }

  TEST_CASE("the person's program is given the verdict, and a clean environment") {
    Person person;
    person.program("hook", "cat >given; env >hook_env; pwd -P >>hook_env; echo \"$# $1\" >words");
    person.configure("  hook: [hook, 'a b']\n");
    person.tell({worse()});
    const std::string given = person.text("given");
    CHECK(count(given, "\"verdict\":\"REGRESSED\"") == 1);
    CHECK(count(given, "\"skill\":\"pdf\"") == 1);
    const std::string environment = person.text("hook_env");
    CHECK(count(environment, "UPSKILL_SKILL=pdf\n") == 1);
    CHECK(count(environment, "UPSKILL_VERDICT=REGRESSED\n") == 1);
    CHECK(count(environment, "UPSKILL_HASH=" + std::string(64, 'b') + "\n") == 1);
    CHECK(count(environment, "SECRET_KEY") == 0);
    CHECK(person.text("words") == "1 a b\n");
    CHECK_FALSE(person.problem());
  }

  TEST_CASE("a program below the home folder may be named by a tilde") {
    Person person;
    person.program("hook", "echo ran >>ran");
    person.configure("  hook: [~/bin/hook]\n");
    person.tell({worse()});
    CHECK(person.text("ran") == "ran\n");
  }

  TEST_CASE("a restart tells nothing again") {
    Person person;
    person.program("notify-send", k_note);
    person.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    person.program("hook", "echo $UPSKILL_VERDICT >>ran");
    person.configure("  hook: [hook]\n");
    person.tell({worse()});
    person.tell({worse()});
    CHECK(person.text("ran") == "REGRESSED\n");
    CHECK(count(person.text("shown"), "REGRESSED") == 1);
    person.tell({verdict_of("pdf", WatchVerdict::ok, 'a')});
    CHECK(person.text("ran") == "REGRESSED\nOK\n");
    CHECK(count(person.text("shown"), "[pdf: OK again]") == 1);
  }

  TEST_CASE("what a broken file says was told is told anew") {
    Person person;
    person.program("hook", "echo $UPSKILL_SKILL >>ran");
    person.configure("  hook: [hook]\n");
    tests::put_file(person.places().state + "/watch_told.json", "{");
    person.tell({worse()});
    CHECK(person.text("ran") == "pdf\n");
    CHECK(count(person.text("log"), "is not known") == 1);
    person.tell({worse()});
    CHECK(person.text("ran") == "pdf\n");
  }

  TEST_CASE("a program that fails is in the log once, with its first line and no secret") {
    Person person;
    person.program("hook",
                   "{ printf do; printf 'p_v1_'; echo pdf | sha256sum | cut -c1-64\n"
                   "echo more; } >&2; exit 3");
    person.configure("  hook: [hook]\n");
    person.tell({worse(), worse("xls")});
    const std::string log = person.text("log");
    CHECK(count(log, "`watch.hook` ended with exit code 3: [REDACTED:digitalocean-token]") == 1);
    CHECK(count(log, "exit code") == 1);
    CHECK(count(log, "more") == 0);
    REQUIRE(person.problem());
    CHECK(person.problem()->starts_with("`watch.hook` ended with exit code 3"));
  }

  TEST_CASE("a program that is not there is in the log once") {
    Person person;
    person.configure("  hook: [nobody]\n");
    person.tell({worse(), worse("xls")});
    CHECK(count(person.text("log"), "`watch.hook` cannot be run: ") == 1);
    CHECK(person.problem());
  }

  TEST_CASE("a broken configuration runs nothing, and says so") {
    Person person;
    person.program("hook", "echo ran >ran");
    person.configure("  hook: [hook]\n  mode: perhaps\n");
    person.tell({worse()});
    CHECK(person.text("ran").empty());
    REQUIRE(person.problem());
    CHECK(count(*person.problem(), "mode") == 1);
  }

  TEST_CASE("a program that hangs is ended, and the next one runs") {
    Person person;
    person.program("hook",
                   "echo $UPSKILL_SKILL >>ran; [ $UPSKILL_SKILL = xls ] || exec tail -f ran");
    person.configure("  hook: [hook]\n");
    person.tell({worse(), worse("xls")}, 100ms);
    CHECK(person.text("ran") == "pdf\nxls\n");
    CHECK(count(person.text("log"), "took too long") == 1);
  }

  TEST_CASE("while a program runs, a newer verdict takes the place of the one that waits") {
    Person person;
    // The first of them goes on until `go` is there, which the last notification makes.
    person.program("hook",
                   "echo $UPSKILL_SKILL $UPSKILL_VERDICT >>ran\n"
                   "[ $UPSKILL_SKILL = first ] && cat go\nexit 0");
    REQUIRE(::mkfifo((person / "go").c_str(), 0600) == 0);
    person.program("notify-send",
                   "echo \"$4\" >>shown; [ \"$4\" != 'last: REGRESSED' ] || echo go >go");
    person.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    person.configure("  hook: [hook]\n");
    asio::io_context io;
    runtime::Pool pool(2);
    telemetry::Log log = telemetry::Log::none();
    telemetry::Counters counters;
    EngineContext context{
        io, person.places(), log, counters, nullptr, [&]() -> runtime::Pool& { return pool; }};
    WatchTeller teller(context, person.environment());
    teller.take(worse("first"), 0);
    while (person.text("ran").empty()) {
      io.run_one();
    }
    teller.take(worse("pdf"), 0);
    while (count(person.text("shown"), "pdf") == 0) {
      io.run_one();
    }
    teller.take(verdict_of("pdf", WatchVerdict::ok, 'c'), 0);
    teller.take(worse("last"), 0);
    io.run();
    CHECK(person.text("ran") == "first REGRESSED\npdf OK\nlast REGRESSED\n");
    tests::run_coroutine(io, teller.stop());
    pool.join();
  }
}
