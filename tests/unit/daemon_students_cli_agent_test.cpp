#include "daemon/await.h"
#include "daemon/runtime/task_group.h"
#include "daemon/students/cli_agent.h"
#include "protocol/base/unique_fd.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/skills_agent_events_streams.h"

#include <doctest/doctest.h>

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <thread>

using namespace upskill;
using namespace upskill::students;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view k_key = "sk-a-secret-of-the-test";

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

asio::awaitable<void> do_work(CliAgent* agent, Task task, Result<Work>* into) {
  AWAIT(*into, agent->work(std::move(task)));
}

asio::awaitable<void> ask_version(CliAgent* agent, Result<std::string>* into) {
  AWAIT(*into, agent->version());
}

// A PATH with one program that is called like an agent, and a skill with what it is graded by.
class World {
public:
  World(std::string_view program, std::string_view script) {
    fs::create_directories(m_folder / "bin");
    std::string file = m_folder / ("bin/" + std::string(program));
    tests::put_file(file, "#!/bin/sh\n" + std::string(script) + "\n");
    ::chmod(file.c_str(), 0755);
    fs::create_directories(m_folder / "skill/evals");
    fs::create_directories(m_folder / "skill/scripts");
    tests::put_file(m_folder / "skill/SKILL.md", "---\nname: git-commit\n---\nbody\n");
    tests::put_file(m_folder / "skill/evals/evals.json", "{}");
    tests::put_file(m_folder / "skill/skill_meta.json", "{}");
    tests::put_file(m_folder / "skill/scripts/do.sh", "#!/bin/sh\n");
    ::chmod((m_folder / "skill/scripts/do.sh").c_str(), 0755);
    environment = {{"PATH", m_folder / "bin" + ":/usr/bin:/bin"},
                   {"ANTHROPIC_API_KEY", std::string(k_key)},
                   {"OPENAI_API_KEY", "sk-of-somebody-else"},
                   {"SECRET_OF_MINE", "not for agents"},
                   {"HTTPS_PROXY", "http://proxy:3128"}};
    task.input = "Write a commit message.";
    task.files = {{"src/login.txt", "form"}};
  }

  Result<Work> work(std::string_view name) {
    SkillSets skills;
    skills.with_skill.push_back({"git-commit", "", "", m_folder / "skill"});
    options.environment = [this](std::string_view variable) {
      auto found = environment.find(std::string(variable));
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
    auto agent = CliAgent::open(name, m_pool.of(0), skills, options);
    if (!agent) {
      return fail(agent.error());
    }
    Result<Work> work;
    tests::run_coroutine(m_io, do_work(agent->get(), task, &work));
    if (asks_version) {
      tests::run_coroutine(m_io, ask_version(agent->get(), &version));
    }
    return work;
  }

  std::string file(const Work& work, std::string_view path) {
    return tests::file_text(work.workspace->folder() + "/" + std::string(path));
  }

  std::string stream(std::string_view text) {
    tests::put_file(m_folder / "stream", text);
    return "cat '" + m_folder / "stream" + "'";
  }

  void replace_script(std::string_view program, std::string_view script) {
    tests::put_file(m_folder / ("bin/" + std::string(program)),
                    "#!/bin/sh\n" + std::string(script) + "\n");
  }

  // What it was left to remove is gone then; nothing can be asked any more.
  void wait_for_pool() { m_pool.join(); }

  std::map<std::string, std::string> environment;
  CliAgentOptions options;
  Task task;
  bool asks_version = false;
  Result<std::string> version;

private:
  tests::TemporaryFolder m_folder;
  asio::io_context m_io;
  runtime::Pool m_pool{1}; // removes workspaces: it outlives what work() returns
};

constexpr std::string_view k_look = R"sh([ "$1" = --version ] && { echo 2.1.329; exit; }
cat >prompt; env >environment; printf '%s\n' "$@" >arguments; pwd >cwd
find . -path ./.git -prune -o -type f -print | sort >files; ls -d .git >git
[ -x .claude/skills/git-commit/scripts/do.sh ] && echo yes >executable
[ -z "$(ls "$HOME" "$TMPDIR" "$CLAUDE_CONFIG_DIR" | grep -v :)" ] && echo yes >fresh
)sh";

std::set<std::string> names_in(const std::string& environment) {
  std::set<std::string> names;
  std::istringstream lines(environment);
  for (std::string line; std::getline(lines, line);) {
    names.insert(line.substr(0, line.find('=')));
  }
  return names;
}

} // namespace

TEST_SUITE("CliAgent") {
  TEST_CASE("what an agent is given, and what comes of it") {
    World world("claude", "");
    world.replace_script("claude",
                         std::string(k_look) + world.stream(agent_events::k_claude_stream));
    world.task.input = std::string(1u << 20, 'p') + "'\"$(touch /tmp/no)\n";
    world.options.model = "haiku";
    world.asks_version = true;
    Result<Work> work = world.work("cli.claude-code");
    REQUIRE(work);
    CHECK(work->observation.answer == "feat(login): add form");
    CHECK(work->observation.skills_used == std::set<std::string>{"git-commit"});
    CHECK(work->observation.tools_used == std::set<std::string>{"Skill"});
    CHECK(work->usage.input == 1700);
    CHECK(work->observation.tokens == 1700 + 300 + 50 + 18);
    CHECK(work->cost == 0.0035);
    CHECK(work->model == "claude-sonnet-5-5");
    CHECK(work->turns == 2);
    CHECK(work->tool_calls == 1);
    CHECK(world.version == "2.1.329");

    CHECK(world.file(*work, "prompt") == world.task.input);
    CHECK(has(world.file(*work, "arguments"), "--model\nhaiku\n"));
    CHECK_FALSE(has(world.file(*work, "arguments"), "pppp"));
    CHECK(world.file(*work, "cwd") == work->workspace->folder() + "\n");
    CHECK(world.file(*work, "fresh") == "yes\n");
    CHECK(world.file(*work, "git") == ".git\n");
    // The skill as it is, but for what it is graded by, and the files of the task.
    std::string files = world.file(*work, "files");
    CHECK(has(files, "./.claude/skills/git-commit/SKILL.md\n"));
    CHECK(world.file(*work, "executable") == "yes\n");
    CHECK(has(files, "./src/login.txt\n"));
    CHECK_FALSE(has(files, "evals"));
    CHECK_FALSE(has(files, "skill_meta"));
    CHECK(world.file(*work, "src/login.txt") == "form");

    std::string folder = work->workspace->folder();
    CHECK_FALSE(fs::exists(fs::path(folder).parent_path() / "home/.gitconfig"));
    work = Work{};
    world.wait_for_pool();
    CHECK_FALSE(fs::exists(fs::path(folder).parent_path()));
  }

  TEST_CASE("the environment is what is named, and a key is its agent's alone") {
    World world("claude", "");
    world.replace_script("claude",
                         std::string(k_look) + world.stream(agent_events::k_claude_stream));
    Result<Work> work = world.work("cli.claude-code");
    REQUIRE(work);
    std::set<std::string> names = names_in(world.file(*work, "environment"));
    for (const char* shell : {"PWD", "OLDPWD", "SHLVL", "_"}) {
      names.erase(shell);
    }
    CHECK(names
          == std::set<std::string>{"HOME",
                                   "TMPDIR",
                                   "XDG_CONFIG_HOME",
                                   "XDG_DATA_HOME",
                                   "XDG_STATE_HOME",
                                   "XDG_CACHE_HOME",
                                   "PATH",
                                   "LANG",
                                   "TERM",
                                   "NO_COLOR",
                                   "HTTPS_PROXY",
                                   "NO_PROXY",
                                   "no_proxy",
                                   "ANTHROPIC_BASE_URL", // its proxy
                                   "CLAUDE_CONFIG_DIR",
                                   "DISABLE_AUTOUPDATER",
                                   "DISABLE_TELEMETRY",
                                   "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                                   "CLAUDE_CODE_MAX_RETRIES",
                                   "IS_SANDBOX",
                                   "ANTHROPIC_API_KEY"});
  }

  TEST_CASE("the arms differ in the skill alone") {
    World world("claude", "");
    world.replace_script("claude",
                         std::string(k_look) + world.stream(agent_events::k_claude_stream));
    Result<Work> with = world.work("cli.claude-code");
    world.task.arm = EvalArm::baseline;
    Result<Work> baseline = world.work("cli.claude-code");
    REQUIRE(with);
    REQUIRE(baseline);
    CHECK(world.file(*with, "arguments") == world.file(*baseline, "arguments"));
    CHECK(names_in(world.file(*with, "environment"))
          == names_in(world.file(*baseline, "environment")));
    CHECK(has(world.file(*with, "files"), "SKILL.md"));
    CHECK_FALSE(fs::exists(baseline->workspace->folder() + "/.claude"));
    CHECK(with->workspace->folder() != baseline->workspace->folder());
  }

  TEST_CASE("a repository that a case points at is not written to") {
    tests::TemporaryFolder elsewhere;
    const std::string repository = elsewhere / "theirs.git";
    REQUIRE(::system(("git init --quiet --bare '" + repository + "'").c_str()) == 0);
    fs::remove_all(repository + "/hooks");
    const std::string config = tests::file_text(repository + "/config");
    World world("claude", "");
    world.replace_script("claude",
                         std::string(k_look) + world.stream(agent_events::k_claude_stream));
    world.task.files.emplace(".git", "gitdir: " + repository + "\n");
    REQUIRE(world.work("cli.claude-code"));
    CHECK(tests::file_text(repository + "/config") == config);
    CHECK_FALSE(fs::exists(repository + "/hooks"));
  }

  TEST_CASE("who is not there") {
    World world("other", "");
    world.environment["PATH"] = "/nowhere";
    Result<Work> work = world.work("cli.codex");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::not_found);
    CHECK(has(work.error().message, "`codex`"));
    CHECK(has(work.error().hint, "npm install -g @openai/codex"));
    work = world.work("cli.hal");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::invalid_argument);
    CHECK(has(work.error().hint, "`cli.claude-code`"));
  }

  TEST_CASE("an agent's failure is an error in its words, without the key") {
    World world("claude", R"(cat <<'END'
{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid key sk-a-secret-of-the-test here","modelUsage":{}}
END
exit 1)");
    Result<Work> work = world.work("cli.claude-code");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::permission);
    CHECK(has(work.error().message, "Invalid key [hidden] here"));
    CHECK(has(work.error().hint, "ANTHROPIC_API_KEY"));
    // What it prints elsewhere is all there is.
    world.replace_script("claude", "echo 'cannot start: sk-a-secret-of-the-test' >&2; exit 3");
    work = world.work("cli.claude-code");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::unavailable);
    CHECK(has(work.error().message, "exit code 3"));
    CHECK(has(work.error().message, "cannot start: [hidden]"));
  }

  TEST_CASE("a key in an answer is hidden") {
    World world("claude", "");
    world.replace_script(
        "claude",
        world.stream(
            R"({"type":"result","subtype":"success","is_error":false,"result":"it is sk-a-secret-of-the-test"})"));
    Result<Work> work = world.work("cli.claude-code");
    REQUIRE(work);
    CHECK(work->observation.answer == "it is [hidden]");
  }

  TEST_CASE("ends that are none") {
    World world("codex", "kill -SEGV $$");
    Result<Work> work = world.work("cli.codex");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::unavailable);
    CHECK(has(work.error().message, "signal 11"));
    world.replace_script("codex", "echo '{\"type\":\"turn.started\"}'");
    work = world.work("cli.codex");
    REQUIRE_FALSE(work);
    CHECK(has(work.error().message, "without saying how it went"));
    // It says that it is done, and then fails all the same.
    world.replace_script("codex", world.stream(agent_events::k_codex_stream) + "; exit 4");
    work = world.work("cli.codex");
    REQUIRE_FALSE(work);
    CHECK(has(work.error().message, "exit code 4"));
  }

  TEST_CASE("who does not end is ended, with all that it started") {
    World world("codex", "tail -f /dev/null & tail -f /dev/null");
    world.options.limit = std::chrono::milliseconds(300);
    Result<Work> work = world.work("cli.codex");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::timed_out);
    CHECK(has(work.error().message, "took too long"));
    world.replace_script("codex",
                         "echo '{\"type\":\"error\",\"message\":\"Reconnecting... 1/5\"}'; "
                         "tail -f /dev/null");
    world.options.limit = std::chrono::minutes(1);
    world.options.idle_limit = std::chrono::milliseconds(300);
    work = world.work("cli.codex");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::timed_out);
    CHECK(has(work.error().message, "said nothing for too long"));
    CHECK(has(work.error().message, "Reconnecting"));
  }

  TEST_CASE("floods and huge lines") {
    World world("codex", "yes '{\"type\":\"turn.started\"}'");
    Result<Work> work = world.work("cli.codex");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::too_large);
    world.replace_script("codex",
                         "printf '{\"type\":\"'; head -c 6000000 /dev/zero | tr '\\0' x; "
                         "echo '\"}'; "
                             + world.stream(agent_events::k_codex_stream));
    work = world.work("cli.codex");
    REQUIRE(work);
    CHECK(work->observation.answer == "feat(login): add form");
    CHECK_FALSE(work->observation.tools_used); // the line may have been one
    // On the other output, too.
    world.replace_script("codex", "yes >&2");
    work = world.work("cli.codex");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::too_large);
  }

  TEST_CASE("Copilot's usage file is read, and one that is a trap is not") {
    World world("copilot", "");
    world.environment["COPILOT_GITHUB_TOKEN"] = "ghp_of_the_test";
    world.replace_script("copilot",
                         world.stream(agent_events::k_copilot_stream)
                             + "; while [ $# -gt 1 ]; do [ $1 = --usage-output-file ] && echo '"
                             + std::string(agent_events::k_copilot_usage) + "' >$2; shift; done");
    Result<Work> work = world.work("cli.copilot");
    REQUIRE(work);
    CHECK(work->usage.input == 700);
    CHECK(work->usage.reasoning == 40);
    CHECK_FALSE(work->cost);
    world.replace_script("copilot",
                         world.stream(agent_events::k_copilot_stream)
                             + "; while [ $# -gt 1 ]; do [ $1 = --usage-output-file ] && "
                               "ln -s /dev/zero $2; shift; done");
    work = world.work("cli.copilot");
    REQUIRE(work);
    CHECK(work->usage == models::Usage{});
    CHECK_FALSE(work->observation.tokens);
  }

  TEST_CASE("Cursor takes its prompt as an argument, while that is possible") {
    World world("cursor-agent", "");
    world.replace_script("cursor-agent",
                         "printf '%s\n' \"$@\" >arguments; wc -c >input; "
                             + world.stream(agent_events::k_cursor_stream));
    world.task.input = "--force me";
    Result<Work> work = world.work("cli.cursor");
    REQUIRE(work);
    CHECK(has(world.file(*work, "arguments"), "\n --force me\n"));
    CHECK(world.file(*work, "input") == "0\n");
    CHECK(work->observation.skills_used == std::set<std::string>{"git-commit"});
    CHECK(work->usage == models::Usage{});
    world.task.input = "-" + std::string((128u << 10) - 3, 'x');
    CHECK(world.work("cli.cursor"));
    world.task.input += "x";
    work = world.work("cli.cursor");
    REQUIRE_FALSE(work);
    CHECK(work.error().code == ErrorCode::too_large);
  }

  TEST_CASE("a cancelled one leaves neither programs nor folders") {
    tests::TemporaryFolder folder;
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    fs::create_directories(folder / "bin");
    fs::create_directories(folder / "tmp");
    tests::put_file(folder / "bin/codex",
                    "#!/bin/sh\ntail -f /dev/null & echo $$ $! >'" + folder / "pipe"
                        + "'; tail -f /dev/null\n");
    ::chmod((folder / "bin/codex").c_str(), 0755);
    std::optional<std::string> before = process_environment()("TMPDIR");
    ::setenv("TMPDIR", (folder / "tmp").c_str(), 1);
    asio::io_context io;
    runtime::Pool pool(1);
    CliAgentOptions options;
    options.environment = [&](std::string_view name) {
      return name == "PATH" ? std::optional(folder / "bin" + ":/usr/bin:/bin") : std::nullopt;
    };
    auto agent = CliAgent::open("cli.codex", pool.of(0), {}, options);
    REQUIRE(agent);
    runtime::TaskGroup tasks(io.get_executor(), [](std::exception_ptr) {});
    Result<Work> work;
    tasks.start(do_work(agent->get(), {}, &work));
    std::vector<pid_t> processes;
    // Until the agent says that it runs.
    std::thread waits([&] {
      std::ifstream pipe(folder / "pipe");
      for (pid_t process = 0; pipe >> process;) {
        processes.push_back(process);
      }
      asio::post(io, [&] { tasks.cancel_all(); });
    });
    io.run();
    waits.join();
    if (before) {
      ::setenv("TMPDIR", before->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
    CHECK(tasks.size() == 0);
    REQUIRE(processes.size() == 2);
    CHECK(::kill(processes[0], 0) == -1);
    // Who was started by it is init's to reap, and ends when it has seen the signal.
    UniqueFd other(static_cast<int>(::syscall(SYS_pidfd_open, processes[1], 0)));
    pollfd ended{other.get(), POLLIN, 0};
    CHECK((!other || ::poll(&ended, 1, 10'000) == 1));
    pool.join(); // which removes folders
    CHECK(fs::is_empty(folder / "tmp"));
  }

  TEST_CASE("what cannot be made is told") {
    World world("claude", "");
    world.task.files = {{"../out", "x"}};
    CHECK_FALSE(world.work("cli.claude-code"));
    world.task.files = {{"/etc/out", "x"}};
    CHECK_FALSE(world.work("cli.claude-code"));
  }
}
