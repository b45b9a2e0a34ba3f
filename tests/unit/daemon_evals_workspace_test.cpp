#include "daemon/await.h"
#include "daemon/evals/evaluation.h"
#include "daemon/evals/workspace_gatherer.h"
#include "daemon/models/scripted.h"
#include "daemon/students/agent.h"
#include "daemon/students/workspace_folder.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

using namespace upskill;
using namespace upskill::evals;
using State = eval::WorkspaceFile::State;
using students::Work;

namespace {

namespace fs = std::filesystem;

asio::awaitable<void>
gather_into(WorkspaceGatherer* gatherer, const eval::Case* one, students::Work* work) {
  const eval::Needs needs = eval::external_needs(*one);
  AWAIT_DONE(gatherer->gather(*one, needs, *work));
}

asio::awaitable<void> check_into(sandbox::Sandbox* sandbox, std::optional<Result<void>>* into) {
  AWAIT(Result<void> works, sandbox->check());
  into->emplace(std::move(works));
}

struct World {
  explicit World(std::string program = "bwrap")
      : sandbox(std::move(program)) {}

  // Where bubblewrap does not work there is nothing to try.
  bool works() {
    std::optional<Result<void>> tried;
    tests::run_coroutine(io, check_into(&sandbox, &tried));
    if (!*tried) {
      MESSAGE("skipped: ", tried->error().message);
    }
    return tried->has_value();
  }

  void gather(const eval::Case& one, Work& work) {
    WorkspaceGatherer gatherer(pool, sandbox);
    tests::run_coroutine(io, gather_into(&gatherer, &one, &work));
  }

  // A student's work, in a workspace of its own.
  Work worked(const std::map<std::string, std::string>& files) {
    Work work;
    auto made = students::WorkspaceFolder::make(pool, files);
    REQUIRE(made);
    work.workspace = *made;
    return work;
  }

  asio::io_context io;
  runtime::Pool pool{2};
  sandbox::Sandbox sandbox;
};

eval::Check file_check(eval::CheckKind kind, std::string path, std::string value = "") {
  eval::Check check;
  check.kind = kind;
  check.path = std::move(path);
  if (!value.empty()) {
    check.values = {std::move(value)};
  }
  return check;
}

eval::Check command(std::string line, double limit = 60) {
  eval::Check check;
  check.kind = eval::CheckKind::command;
  check.argv = {"/bin/sh", "-c", std::move(line)};
  check.limit = limit;
  return check;
}

eval::Case case_of(std::vector<eval::Check> checks) {
  eval::Case one;
  one.id = "1";
  one.checks = std::move(checks);
  return one;
}

// With the skill it is read, and a file written; without, nothing is done.
constexpr std::string_view k_session = R"({"rules": [
  {"turn": 0, "system": "/skills/greet/SKILL.md",
   "calls": [{"name": "read_file", "arguments": {"path": "/skills/greet/SKILL.md"}}]},
  {"turn": 1, "user": "Say salve",
   "calls": [{"name": "write_file", "arguments": {"path": "out.txt", "content": "salve"}}]},
  {"answer": "I have done it."}]})";

asio::awaitable<void> evaluate_into(Evaluation* evaluation, std::vector<EvalSample>* into) {
  AWAIT(*into, evaluation->run());
}

} // namespace

TEST_SUITE("WorkspaceGatherer") {
  TEST_CASE("an evaluation of a student with tools: what it made and picked decides") {
    World world;
    if (!world.works()) {
      return;
    }
    tests::TemporaryFolder skill;
    tests::put_file(skill / "SKILL.md", "Say salve in out.txt.");
    students::SkillSets skills;
    skills.with_skill = {{"greet", "Greets", "Say salve in out.txt.", skill.path()}};
    Result<models::Script> script = models::read_script(k_session, "the session");
    REQUIRE(script);
    models::ScriptedModel model(std::move(*script));
    students::Agent agent(world.pool, world.sandbox, model, "scripted", skills);
    WorkspaceGatherer gatherer(world.pool, world.sandbox);
    eval::CaseSuite suite;
    suite.cases.push_back(case_of({file_check(eval::CheckKind::file_contains, "out.txt", "salve"),
                                   command("grep -q salve out.txt && grep -q done")}));
    EvaluationOptions options;
    options.runs = 3;
    options.skill = "greet";
    options.gatherers = {&gatherer};
    Evaluation evaluation(world.io.get_executor(), suite, agent, options);
    std::vector<EvalSample> samples;
    tests::run_coroutine(world.io, evaluate_into(&evaluation, &samples));
    REQUIRE(samples.size() == 6);
    for (const EvalSample& sample : samples) {
      bool has_skill = sample.arm == EvalArm::with_skill;
      CAPTURE(sample.error);
      CHECK(sample.outcome == (has_skill ? SampleOutcome::passed : SampleOutcome::failed));
      CHECK(sample.skill_used == has_skill);
      CHECK(sample.output == "I have done it.");
      CHECK(sample.turns == (has_skill ? 3 : 1));
    }
  }

  TEST_CASE("a gathering that is cancelled ends its command, and says nothing of it") {
    World world;
    if (!world.works()) {
      return;
    }
    Work work = world.worked({});
    eval::Case one = case_of({command("echo on > on; exec sleep 10081")});
    WorkspaceGatherer gatherer(world.pool, world.sandbox);
    runtime::TaskGroup tasks(world.io.get_executor(), [](std::exception_ptr) { FAIL("thrown"); });
    tasks.start(gather_into(&gatherer, &one, &work));
    world.io.restart();
    // Until the command has begun.
    const auto until = runtime::Clock::now() + std::chrono::seconds(60);
    while (!fs::exists(work.workspace->folder() + "/on") && runtime::Clock::now() < until) {
      world.io.poll();
    }
    CHECK(fs::exists(work.workspace->folder() + "/on"));
    tasks.cancel_all();
    tests::run_coroutine(world.io, tasks.join());
    CHECK_FALSE(work.observation.commands.contains("1"));
  }

  TEST_CASE("files are as the student left them, and links are not followed") {
    World world;
    tests::TemporaryFolder outside;
    tests::put_file(outside / "secret", "hush");
    Work work = world.worked({{"made.txt", "hello"}, {"sub/deep.txt", "there"}});
    const std::string folder = work.workspace->folder();
    fs::create_symlink(outside / "secret", folder + "/link");
    fs::create_directory_symlink(outside.path(), folder + "/folder-link");
    REQUIRE(::mkfifo((folder + "/pipe").c_str(), 0600) == 0);
    tests::put_file(folder + "/large", std::string((1u << 20) + 1, 'x'));
    eval::Case one = case_of({});
    for (const char* path : {"made.txt",
                             "sub/deep.txt",
                             "none",
                             "no/ne",
                             "link",
                             "folder-link/secret",
                             "pipe",
                             "sub",
                             "large"}) {
      one.checks.push_back(file_check(eval::CheckKind::file_exists, path));
    }
    world.gather(one, work);
    auto& files = work.observation.files;
    CHECK(files["made.txt"].text == "hello");
    CHECK(files["sub/deep.txt"].text == "there");
    CHECK(files["none"].state == State::missing);
    CHECK(files["no/ne"].state == State::missing);
    for (const char* path : {"link", "folder-link/secret", "pipe", "sub", "large"}) {
      CHECK(files[path].state == State::no_text);
      CHECK(files[path].text.empty());
      CHECK_FALSE(files[path].reason.empty());
    }
    world.pool.join();
  }

  TEST_CASE("a student without a workspace gets one, with its answer as the file asked for") {
    World world;
    Work work;
    work.observation.answer = "Here you are:\n```c\nint x;\n```\n";
    eval::Case one = case_of({file_check(eval::CheckKind::file_contains, "in.txt", "given")});
    one.context_files["in.txt"] = "given";
    one.output_file = "src/out.c";
    world.gather(one, work);
    CHECK(work.observation.files["src/out.c"].text == "int x;\n");
    CHECK(work.observation.files["in.txt"].text == "given");
    CHECK(eval::grade(one, work.observation).verdict == eval::CheckVerdict::passed);
    REQUIRE(work.workspace);
    const std::string folder = work.workspace->folder();
    CHECK(fs::exists(folder));
    work.workspace.reset();
    world.pool.join();
    CHECK_FALSE(fs::exists(folder));
  }

  TEST_CASE("a case that needs neither costs no workspace") {
    World world;
    Work work;
    world.gather(case_of({eval::Check{}}), work);
    CHECK_FALSE(work.workspace);
  }

  TEST_CASE("commands run in the workspace, after the files were read, with the answer as input") {
    World world;
    if (!world.works()) {
      return;
    }
    Work work = world.worked({{"n.txt", "41"}});
    work.observation.answer = "forty-two";
    eval::Case one = case_of({command("grep -q forty-two && cat n.txt && echo 42 > n.txt"),
                              command("cat n.txt; echo bad >&2; exit 3"),
                              file_check(eval::CheckKind::file_contains, "n.txt", "41")});
    world.gather(one, work);
    CHECK(work.observation.commands["1"].exit_code == 0);
    CHECK(work.observation.commands["1"].output == "41");
    CHECK(work.observation.commands["2"].exit_code == 3);
    CHECK(work.observation.commands["2"].output == "42\nbad\n");
    CHECK(work.observation.files["n.txt"].text == "41");
  }

  TEST_CASE("a command that does not end in time failed, and what it printed is cut") {
    World world;
    if (!world.works()) {
      return;
    }
    Work work = world.worked({});
    eval::Case one = case_of({command("echo on; sleep 1000", .3),
                              command("yes \xC3\xA4 | tr -d '\\n' | head -c 10000000")});
    world.gather(one, work);
    const eval::CommandOutcome& late = work.observation.commands["1"];
    CHECK(late.timed_out);
    CHECK_FALSE(late.exit_code);
    CHECK(late.output == "on\n");
    const eval::CommandOutcome& loud = work.observation.commands["2"];
    CHECK(loud.exit_code == 0);
    CHECK(loud.output.size() == 2 * 1200); // characters of two bytes each
    CHECK(eval::grade(one, work.observation).checks[0].verdict == eval::CheckVerdict::failed);
  }

  TEST_CASE("without a sandbox commands do not run, which is an error and no failure") {
    World world("upskill-no-bwrap");
    Work work = world.worked({});
    eval::Case one = case_of({command("touch made")});
    world.gather(one, work);
    const eval::CommandOutcome& outcome = work.observation.commands["1"];
    CHECK_FALSE(outcome.exit_code);
    CHECK_FALSE(outcome.timed_out);
    CHECK(outcome.output.find("apt install bubblewrap") != std::string::npos);
    CHECK(eval::grade(one, work.observation).verdict == eval::CheckVerdict::unknown);
    CHECK_FALSE(fs::exists(work.workspace->folder() + "/made"));
  }

  TEST_CASE("a command cannot leave the workspace") {
    World world;
    if (!world.works()) {
      return;
    }
    tests::TemporaryFolder outside;
    tests::put_file(outside / "secret", "hush");
    Work work = world.worked({});
    eval::Case one = case_of({command("cat " + (outside / "secret")),
                              command("echo x > " + (outside / "new")),
                              command("cat ../../" + outside.path() + "/secret")});
    world.gather(one, work);
    for (const char* position : {"1", "2", "3"}) {
      CHECK(work.observation.commands[position].exit_code.value_or(0) != 0);
    }
    CHECK_FALSE(fs::exists(outside / "new"));
  }
}
