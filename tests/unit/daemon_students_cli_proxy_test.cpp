#include "daemon/await.h"
#include "daemon/sandbox/sandbox.h"
#include "daemon/students/cli_agent.h"
#include "daemon/students/cli_enclosure.h"
#include "protocol/base/atomic_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/daemon_models_server.h"

#include <sched.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

using namespace upskill;
using namespace upskill::students;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_key = "sk-the-real-key-of-the-test";
const std::string k_body = "Always begin the subject with a type of change.";
const std::string k_stream =
    R"(data: {"type":"message_start","message":{"model":"claude-of-the-server","usage":{"input_tokens":11,"output_tokens":1}}})"
    "\n\n"
    R"(data: {"type":"message_delta","delta":{},"usage":{"output_tokens":42}})"
    "\n\ndata: {\"type\":\"message_stop\"}\n\n";

// What an agent does: asks its model with what it found, and reports what it likes.
constexpr std::string_view k_agent = R"sh(#!/bin/bash
[ "$1" = --version ] && { echo 9.9; exit; }
cat >/dev/null
port=${ANTHROPIC_BASE_URL##*:}; port=${port%%/*}
ask() {
  exec 3<>/dev/tcp/127.0.0.1/$port || return 1
  printf 'POST /v1/messages HTTP/1.1\r\nhost: h\r\nx-api-key: %s\r\ncontent-length: %s\r\n\r\n%s' \
    "$ANTHROPIC_API_KEY" "${#1}" "$1" >&3
  cat <&3
}
said() {
  echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$1"'","modelUsage":{"alias":{"inputTokens":1,"outputTokens":1,"costUSD":9,"costBasis":"list"}}}'
}
)sh";

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

void put_program(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  tests::put_file(path, text);
  ::chmod(path.c_str(), 0755);
}

asio::awaitable<void> do_work(models_test::Server* server,
                              CliAgent* agent,
                              Task task,
                              Result<Work>* into,
                              Result<std::string>* version) {
  AWAIT(*into, agent->work(std::move(task)));
  AWAIT(*version, agent->version());
  AWAIT_DONE(server->stop());
}

// A program that is called `claude`, and a model that answers it.
class World {
public:
  explicit World(std::string_view script, bool is_enclosed) {
    set(script);
    fs::create_directories(m_folder / "skill");
    tests::put_file(m_folder / "skill/SKILL.md", "---\nname: git-commit\n---\n" + k_body + "\n");
    tests::put_file(m_folder / "secret", "the user's own");
    if (is_enclosed) {
      bwrap = "bwrap";
    }
    path = m_folder / "bin" + ":/usr/bin:/bin";
  }

  void set(std::string_view script) {
    put_program(m_folder / "bin/claude", std::string(k_agent) + std::string(script) + "\n");
  }

  Result<Work> work(std::string_view name = "cli.claude-code", EvalArm arm = EvalArm::with_skill) {
    asio::io_context io;
    models_test::Server server(io);
    sandbox::Sandbox sandbox(bwrap);
    options.sandbox = bwrap.empty() ? nullptr : &sandbox;
    for (int i = 0; i < 3; ++i) {
      server.replies.push_back(models_test::reply("200 OK", k_stream));
    }
    SkillSets skills;
    skills.with_skill.push_back({"git-commit", "", k_body, m_folder / "skill"});
    options.environment = [&](std::string_view variable) -> std::optional<std::string> {
      if (variable == "PATH") {
        return path;
      }
      if (variable == "ANTHROPIC_BASE_URL") {
        return "http://" + server.where();
      }
      return variable == "ANTHROPIC_API_KEY" || variable == "CURSOR_API_KEY"
                 ? std::optional(std::string(k_key))
                 : std::nullopt;
    };
    auto agent = CliAgent::open(name, m_pool.of(0), skills, options);
    if (!agent) {
      return fail(agent.error());
    }
    Task task;
    task.input = "Commit.";
    task.arm = arm;
    task.files = {{"port", std::to_string(server.port())}, {"secret_path", m_folder / "secret"}};
    Result<Work> made;
    tests::run_coroutine(io, do_work(&server, agent->get(), task, &made, &version));
    requests = std::move(server.requests);
    return made;
  }

  std::string file(const Work& work, std::string_view name) {
    return tests::file_text(work.workspace->folder() + "/" + std::string(name));
  }

  std::string operator/(std::string_view name) { return m_folder / std::string(name); }

  std::string bwrap; // empty: no sandbox
  CliAgentOptions options;
  std::string path;
  std::vector<std::string> requests; // that the model got
  Result<std::string> version;

private:
  tests::TemporaryFolder m_folder;
  runtime::Pool m_pool{1};
};

// Where bubblewrap does not work there is nothing to try.
bool works() {
  static const std::string missing = [] {
    World world("said tried", true);
    Result<Work> tried = world.work();
    bool is_missing = !tried && tried.error().code == ErrorCode::unavailable
                      && has(tried.error().message, "the sandbox does not work here");
    return is_missing ? tried.error().message : std::string();
  }();
  if (!missing.empty()) {
    MESSAGE("skipped: ", missing);
  }
  return missing.empty();
}

std::size_t processes_like(const std::string& word) {
  std::size_t count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    std::string line = read_file(entry.path().string() + "/cmdline", 1u << 20).value_or("");
    count += line.starts_with("tail") && has(line, word) ? 1 : 0;
  }
  return count;
}

bool all_gone(const std::string& word) {
  auto until = runtime::Clock::now() + std::chrono::seconds(10);
  while (processes_like(word) > 0 && runtime::Clock::now() < until) {
    ::sched_yield();
  }
  return processes_like(word) == 0;
}

const std::string k_asking =
    R"sh(ask '{"messages":[{"content":"     1\tAlways begin the subject with a type of change."}]}' >answer
env >environment; said done)sh";

} // namespace

TEST_SUITE("CliAgent behind its proxy") {
  TEST_CASE("what the server tells counts, and the key stays with us") {
    for (bool is_enclosed : {false, true}) {
      if (is_enclosed && !works()) {
        return;
      }
      CAPTURE(is_enclosed);
      World world(k_asking, is_enclosed);
      Result<Work> work = world.work();
      if (!work) {
        FAIL(work.error().message);
      }
      CHECK(work->observation.answer == "done");
      CHECK(has(world.file(*work, "answer"), "message_stop"));
      CHECK(work->usage.input == 11);
      CHECK(work->usage.output == 42);
      CHECK(work->observation.tokens == 53);
      CHECK(work->cost == 0.0); // this machine's, whatever the agent says
      CHECK(work->model == "claude-of-the-server");
      CHECK(work->requests == 1);
      CHECK(work->skills_read == std::set<std::string>{"git-commit"});
      CHECK(work->observation.skills_used == std::set<std::string>{"git-commit"});
      CHECK(world.version == "9.9");
      REQUIRE(world.requests.size() == 1);
      CHECK(has(world.requests[0], "x-api-key: " + std::string(k_key)));
      CHECK_FALSE(has(world.file(*work, "environment"), k_key));
      CHECK(has(world.file(*work, "environment"), "ANTHROPIC_API_KEY=sk-upskill-"));
      Result<Work> baseline = world.work("cli.claude-code", EvalArm::baseline);
      REQUIRE(baseline);
      CHECK(baseline->skills_read.contains("git-commit")); // seen all the same
      CHECK_FALSE(baseline->observation.skills_used.value_or(std::set<std::string>())
                      .contains("git-commit"));
    }
  }

  TEST_CASE("an agent that asks nobody is taken at its word") {
    World world("said alone", false);
    Result<Work> work = world.work();
    REQUIRE(work);
    CHECK(work->requests == 0);
    CHECK(work->usage.input == 1);
  }

  TEST_CASE("what was recorded is replayed, and nobody is asked") {
    for (bool is_enclosed : {false, true}) {
      if (is_enclosed && !works()) {
        return;
      }
      World world(
          R"sh(ask '{"at":"'"$(date +%T.%N)"' in '"$PWD"'","messages":[]}' >answer; said done)sh",
          is_enclosed);
      world.options.record = world / "record";
      fs::create_directories(world.options.record);
      Result<Work> recorded = world.work();
      REQUIRE(recorded);
      CHECK(world.requests.size() == 1);
      world.options.replay = std::exchange(world.options.record, "");
      Result<Work> replayed = world.work();
      if (!replayed) {
        FAIL(replayed.error().message);
      }
      CHECK(world.requests.empty());
      CHECK(has(world.file(*replayed, "answer"), "message_stop"));
      CHECK(replayed->usage == recorded->usage);
      CHECK(replayed->model == "claude-of-the-server");
      world.set(R"(ask '{"messages":["another"]}' >answer; said done)");
      Result<Work> missed = world.work();
      REQUIRE_FALSE(missed);
      CHECK(missed.error().code == ErrorCode::not_found);
      CHECK(world.requests.empty());
    }
  }

  TEST_CASE("in the sandbox there is nothing but its program, its workspace and its model") {
    if (!works()) {
      return;
    }
    World world(R"sh(
{ exec 4<>/dev/tcp/127.0.0.1/$(cat port); } 2>/dev/null && echo reached >>escaped
cat "$(cat secret_path)" >>escaped 2>/dev/null
ls -A /home >>escaped; ls -d /root /etc/shadow /var >>escaped 2>/dev/null
echo x >/usr/escaped 2>/dev/null && echo wrote >>escaped
echo x >"$(dirname "$0")/new" # in memory, where it is
cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline "$HOME"/.* "$CLAUDE_CONFIG_DIR"/* >>everything 2>/dev/null
touch "$HOME/mine" "$TMPDIR/mine" "$CLAUDE_CONFIG_DIR/mine" && pwd >cwd
(cd / && ls -d agent/* >"$OLDPWD/agent")
env | cut -d= -f1 | sort >names
tail -f -s 987654321 /dev/null & disown
setsid tail -f -s 987654321 /dev/null &
said done)sh",
                true);
    Result<Work> work = world.work();
    if (!work) {
      FAIL(work.error().message);
    }
    CHECK(world.file(*work, "escaped") == "");
    CHECK(world.file(*work, "cwd") == "/workspace\n");
    CHECK_FALSE(has(world.file(*work, "everything"), k_key));
    CHECK(has(world.file(*work, "everything"), "sk-upskill-")); // it did look
    CHECK(has(world.file(*work, "names"), "HOME\n"));
    CHECK_FALSE(has(world.file(*work, "names"), "PROXY"));
    CHECK(all_gone("987654321"));
    fs::path folder = work->workspace->folder();
    CHECK_FALSE(fs::exists(folder.parent_path() / "home/mine"));
    CHECK_FALSE(fs::exists(world / "bin/new"));
  }

  TEST_CASE("floods, forks and hangs end there") {
    if (!works()) {
      return;
    }
    World world("yes '{\"type\":\"x\"}'", true);
    Result<Work> work = world.work();
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::too_large);
    world.set("for i in $(seq 200); do tail -f -s 987654322 /dev/null & done; wait");
    world.options.limit = std::chrono::seconds(2);
    work = world.work();
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::timed_out);
    CHECK(all_gone("987654322"));
    world.set("exit 7");
    work = world.work();
    REQUIRE_FALSE(work);
    CHECK(has(work.error().message, "exit code 7"));
  }

  TEST_CASE("a program of npm's, with its interpreter, from anywhere") {
    if (!works()) {
      return;
    }
    World world("", true);
    std::string package = world / "npm/lib/node_modules/@vendor/claude";
    put_program(package + "/cli.js",
                "#!/usr/bin/env an-interpreter\n" + std::string(k_agent).substr(12)
                    + "said \"$(cat \"$(dirname \"$0\")/../other/data\")\"\n");
    fs::create_directories(world / "npm/lib/node_modules/@vendor/other");
    tests::put_file(world / "npm/lib/node_modules/@vendor/other/data", "of a package beside it");
    fs::create_directories(world / "npm/bin");
    fs::create_symlink("../lib/node_modules/@vendor/claude/cli.js", world / "npm/bin/claude");
    fs::create_symlink("/bin/bash", world / "npm/bin/an-interpreter");
    world.path = (world / "npm/bin") + ":/usr/bin:/bin";
    Result<Work> work = world.work();
    if (!work) {
      FAIL(work.error().message);
    }
    CHECK(work->observation.answer == "of a package beside it");
    CHECK(world.version == "9.9");
  }

  TEST_CASE("where there is no sandbox, or no way to the model, it says what to do") {
    World world("said done", false);
    world.bwrap = world / "no-bwrap";
    Result<Work> work = world.work();
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::unavailable);
    CHECK(has(work.error().hint, "`--no-sandbox`"));
    put_program(world / "bin/cursor-agent", "#!/bin/sh\n");
    world.bwrap = "bwrap";
    work = world.work("cli.cursor");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::unsupported);
    CHECK(has(work.error().hint, "`--no-sandbox`"));
  }
}
