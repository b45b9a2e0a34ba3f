#include "daemon/await.h"
#include "daemon/models/scripted.h"
#include "daemon/sandbox/private_folder.h"
#include "daemon/students/agent.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::students;
using namespace std::chrono_literals;

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// Does what the test says at each turn, and remembers what it was asked.
class TurnModel : public models::Model {
public:
  using Turn = std::function<Result<models::Answer>(const models::Request& request)>;

  explicit TurnModel(Turn turn)
      : m_turn(std::move(turn)) {}

  asio::awaitable<Result<models::Answer>> answer(models::Request request) override {
    asked.push_back(std::move(request));
    co_return m_turn(asked.back());
  }

  std::vector<models::Request> asked;

private:
  Turn m_turn;
};

models::Answer says(std::string text) {
  models::Answer answer;
  answer.text = std::move(text);
  return answer;
}

models::Answer calls(std::string name, std::string arguments) {
  models::Answer answer;
  answer.stop = models::Stop::tool_use;
  answer.calls = {{"c1", std::move(name), std::move(arguments)}};
  return answer;
}

// Makes one call, then ends.
TurnModel one_call(std::string name, std::string arguments) {
  return TurnModel([=](const models::Request& request) -> Result<models::Answer> {
    return request.messages.size() == 1 ? calls(name, arguments) : says("done");
  });
}

asio::awaitable<void> work_into(Student* student, Task task, std::optional<Result<Work>>* into) {
  AWAIT(Result<Work> work, student->work(std::move(task)));
  into->emplace(std::move(work));
}

asio::awaitable<void> check_into(sandbox::Sandbox* sandbox, std::optional<Result<void>>* into) {
  AWAIT(Result<void> works, sandbox->check());
  into->emplace(std::move(works));
}

constexpr std::string_view k_body = "\nGreet in Latin: write `salve` into `greeting.txt`.\n";

struct World {
  explicit World(std::string program = "bwrap")
      : sandbox(std::move(program)) {
    fs::create_directories(skill / "scripts");
    tests::put_file(skill / "SKILL.md", "---\nname: greet\n---\n" + std::string(k_body));
    tests::put_file(skill / "scripts/greet.sh", "echo salve\n");
    OfferedSkill offered{"greet", "Greets <people> & more", std::string(k_body), skill.path()};
    skills.with_skill.push_back(std::move(offered));
  }

  // Where bubblewrap does not work there is nothing to try.
  bool works() {
    std::optional<Result<void>> tried;
    tests::run_coroutine(io, check_into(&sandbox, &tried));
    if (!*tried) {
      MESSAGE("skipped: ", tried->error().message);
    }
    return tried->has_value();
  }

  Result<Work> work(models::Model& model, EvalArm arm = EvalArm::with_skill) {
    Agent agent(pool, sandbox, model, "sonnet", skills, options);
    Task task;
    task.input = "Greet me.";
    task.files = {{"in/who.txt", "Cicero"}};
    task.arm = arm;
    task.sample = 3;
    std::optional<Result<Work>> work;
    tests::run_coroutine(io, work_into(&agent, std::move(task), &work));
    return std::move(*work);
  }

  // What the model was told after one call, and whether it was told of a failure.
  models::ToolResult told(std::string name, std::string arguments) {
    TurnModel model = one_call(std::move(name), std::move(arguments));
    last = work(model);
    REQUIRE(last);
    REQUIRE(model.asked.size() == 2);
    REQUIRE(model.asked[1].messages.size() == 3);
    REQUIRE(model.asked[1].messages[2].results.size() == 1);
    return model.asked[1].messages[2].results[0];
  }

  Names skills_after(std::string name, std::string arguments) {
    told(std::move(name), std::move(arguments));
    return *last->observation.skills_used;
  }

  asio::io_context io;
  tests::TemporaryFolder skill;
  SkillSets skills;
  AgentOptions options;
  sandbox::Sandbox sandbox;
  runtime::Pool pool{2};
  Result<Work> last; // what it holds goes back to the pool
};

constexpr std::string_view k_session = R"({"rules": [
  {"turn": 0, "system": "/skills/greet/SKILL.md", "usage": {"input": 100, "output": 10}, "cost": 0.5,
   "calls": [{"name": "list_files", "arguments": {}},
             {"name": "read_file", "arguments": {"path": "/skills/greet/SKILL.md"}}]},
  {"turn": 1, "user": ["in/who.txt", "Greet in Latin"], "usage": {"input": 200, "output": 20},
   "cost": 0.25,
   "calls": [{"name": "write_file", "arguments": {"path": "greeting.txt", "content": "salve"}}]},
  {"turn": 2, "user": "written: 5 bytes", "usage": {"input": 300, "output": 30}, "cost": 0.125,
   "calls": [{"name": "run", "arguments": {"command": "cat greeting.txt in/who.txt; pwd"}}]},
  {"turn": 3, "user": "exit code 0\nsalveCicero/workspace", "answer": "Done: salve.",
   "usage": {"input": 400, "output": 40}, "cost": 0.125}]})";

} // namespace

TEST_SUITE("Agent") {
  TEST_CASE("it lists, reads the skill, writes, runs, and answers") {
    World world;
    if (!world.works()) {
      return;
    }
    Result<models::Script> script = models::read_script(k_session, "the session");
    REQUIRE(script);
    models::ScriptedModel model(std::move(*script));
    Result<Work> work = world.work(model);
    if (!work) {
      FAIL(work.error().message);
    }
    CHECK(work->observation.answer == "Done: salve.");
    CHECK(work->turns == 4);
    CHECK(work->tool_calls == 4);
    CHECK(work->observation.tools_used == Names{"list_files", "read_file", "run", "write_file"});
    CHECK(work->observation.skills_used == Names{"greet"});
    CHECK(work->usage.input == 1000);
    CHECK(work->usage.output == 100);
    CHECK(work->observation.tokens == 1100);
    CHECK(work->cost == 1.0);
    // What it made is kept until it was graded.
    REQUIRE(work->workspace);
    const std::string folder = work->workspace->folder();
    CHECK(tests::file_text(folder + "/greeting.txt") == "salve");
    CHECK(tests::file_text(folder + "/in/who.txt") == "Cicero");
    work = fail(ErrorCode::internal, "");
    world.pool.join();
    CHECK_FALSE(fs::exists(folder));
  }

  TEST_CASE("the arms differ in exactly the offer of the skill") {
    World world;
    if (!world.works()) {
      return;
    }
    TurnModel model([](const models::Request&) -> Result<models::Answer> { return says("hi"); });
    REQUIRE(world.work(model, EvalArm::with_skill));
    REQUIRE(world.work(model, EvalArm::baseline));
    REQUIRE(model.asked.size() == 2);
    models::Request with = model.asked[0];
    models::Request baseline = model.asked[1];
    REQUIRE(with.system.starts_with(baseline.system));
    CHECK(with.system.ends_with("<available_skills>\n"
                                "  <skill>\n"
                                "    <name>greet</name>\n"
                                "    <description>Greets &lt;people&gt; &amp; more</description>\n"
                                "    <location>/skills/greet/SKILL.md</location>\n"
                                "  </skill>\n"
                                "</available_skills>"));
    // Name and description only, and in the baseline no word of skills at all.
    CHECK(with.system.find("salve") == std::string::npos);
    CHECK(baseline.system.find("kill") == std::string::npos);
    for (const models::Tool& tool : baseline.tools) {
      CHECK(tool.description.find("kill") == std::string::npos);
    }
    with.system = baseline.system;
    CHECK(with == baseline);
    CHECK(with.sample == 3);
    REQUIRE(with.messages.size() == 1);
    CHECK(with.messages[0].text == "Greet me.");
  }

  TEST_CASE("a skill is used when its text was read or a file of it was run") {
    World world;
    if (!world.works()) {
      return;
    }
    const Names used{"greet"};
    CHECK(world.skills_after("read_file", R"({"path": "/skills/greet/SKILL.md"})") == used);
    CHECK(world.skills_after("read_file", R"({"path": "/skills//greet/./SKILL.md"})") == used);
    CHECK(world.skills_after("run", R"({"command": "cat /skills/greet/SKILL.md"})") == used);
    CHECK(world.skills_after("run", R"({"command": "cd /skills/greet; cat *.md"})") == used);
    CHECK(world.skills_after("run", R"({"command": "cat /skills/*/SKILL.md"})") == used);
    CHECK(world.skills_after("run", R"({"command": "sh /skills/greet/scripts/greet.sh"})") == used);
    // To look at what is there is not to read it.
    CHECK(world.skills_after("run", R"({"command": "ls /skills /skills/greet/"})").empty());
    CHECK(world.skills_after("list_files", R"({"path": "/skills/greet"})").empty());
    CHECK(world.skills_after("list_files", R"({"path": "/skills"})").empty());
    CHECK(world.skills_after("read_file", R"({"path": "/skills/greet/NONE.md"})").empty());
    CHECK(world.skills_after("run", R"({"command": "cat /skills/greeting/SKILL.md"})").empty());
    TurnModel silent([](const models::Request&) -> Result<models::Answer> { return says("hi"); });
    Result<Work> work = world.work(silent);
    REQUIRE(work);
    CHECK(work->observation.skills_used == Names{}); // known to be none
    CHECK(work->observation.tools_used == Names{});
    CHECK(work->turns == 1);
    CHECK(work->tool_calls == 0);
  }

  TEST_CASE("the baseline has no skill, neither by its path nor in the sandbox") {
    World world;
    if (!world.works()) {
      return;
    }
    TurnModel model([](const models::Request& request) -> Result<models::Answer> {
      switch (request.messages.size()) {
      case 1:
        return calls("read_file", R"({"path": "/skills/greet/SKILL.md"})");
      case 3:
        return calls("run", R"({"command": "ls /skills"})");
      default:
        return says("none");
      }
    });
    Result<Work> work = world.work(model, EvalArm::baseline);
    REQUIRE(work);
    CHECK(work->observation.skills_used == Names{});
    REQUIRE(model.asked.size() == 3);
    CHECK(model.asked[2].messages[2].results[0].failed);
    CHECK(model.asked[2].messages[4].results[0].failed);
  }

  TEST_CASE("no tool leads out of the workspace") {
    World world;
    if (!world.works()) {
      return;
    }
    tests::TemporaryFolder outside;
    tests::put_file(outside / "secret", "hush");
    for (std::string path : {outside / "secret",
                             std::string("../../etc/passwd"),
                             std::string("/etc/passwd"),
                             std::string("/workspace/../etc/passwd"),
                             std::string("/skills/greet/../../etc/passwd"),
                             std::string("/skills/other/SKILL.md"),
                             std::string("/proc/self/environ")}) {
      CAPTURE(path);
      CHECK(world.told("read_file", R"({"path": ")" + path + "\"}").failed);
      CHECK(world.told("list_files", R"({"path": ")" + path + "\"}").failed);
      CHECK(world.told("write_file", R"({"path": ")" + path + R"(", "content": "x"})").failed);
    }
    CHECK(tests::file_text(outside / "secret") == "hush");
    // Nor does a link that a command has made.
    TurnModel model([&](const models::Request& request) -> Result<models::Answer> {
      switch (request.messages.size()) {
      case 1:
        return calls("run",
                     R"({"command": "ln -s / root; ln -s )" + outside.path() + R"( there"})");
      case 3:
        return calls("read_file", R"({"path": "root/etc/passwd"})");
      case 5:
        return calls("write_file", R"({"path": "there/new", "content": "x"})");
      default:
        return says("done");
      }
    });
    REQUIRE(world.work(model));
    REQUIRE(model.asked.size() == 4);
    CHECK(model.asked[3].messages[4].results[0].failed);
    CHECK(model.asked[3].messages[6].results[0].failed);
    CHECK_FALSE(fs::exists(outside / "new"));
  }

  TEST_CASE("a skill can be read and not be written to") {
    World world;
    if (!world.works()) {
      return;
    }
    CHECK(world.told("write_file", R"({"path": "/skills/greet/SKILL.md", "content": "x"})").failed);
    CHECK(world.told("run", R"({"command": "echo x > /skills/greet/SKILL.md"})").failed);
    CHECK(world.told("list_files", R"({"path": "/skills/greet"})").text
          == "SKILL.md\nscripts/\nscripts/greet.sh\n");
    CHECK(world.told("list_files", R"({"path": "/skills/"})").text == "greet/\n");
    CHECK(tests::file_text(world.skill / "SKILL.md").ends_with(k_body));
  }

  TEST_CASE("files and commands say what there is to say") {
    World world;
    if (!world.works()) {
      return;
    }
    CHECK(world.told("list_files", "{}").text == "in/\nin/who.txt\n");
    CHECK(world.told("list_files", R"({"path": "/workspace/in"})").text == "who.txt\n");
    CHECK(world.told("read_file", R"({"path": "/workspace/in/who.txt"})").text == "Cicero");
    CHECK(world.told("run", R"({"command": "echo a; echo b >&2; exit 4"})").text
          == "exit code 4\na\n\n[stderr]\nb\n");
    CHECK(world.told("run", R"({"command": "true"})").text == "exit code 0");
    CHECK(world.told("run", R"({"command": "no-such-program"})").failed);
    models::ToolResult loud = world.told("run", R"({"command": "yes | head -c 10000000"})");
    CHECK_FALSE(loud.failed);
    CHECK(loud.text.size() < 20'000);
    CHECK(loud.text.ends_with("[the rest is left out]"));
    world.options.run_limit = 300ms;
    models::ToolResult late = world.told("run", R"({"command": "echo on; sleep 1000"})");
    CHECK(late.failed);
    CHECK(late.text == "the command did not end in time and was ended\non\n");
  }

  TEST_CASE("what a model gets wrong is told to the model") {
    World world;
    if (!world.works()) {
      return;
    }

    struct {
      const char* name;
      const char* arguments;
      const char* says;
    } wrong[] = {
        {"delete_all", "{}", "there is no tool `delete_all`"},
        {"read_file", "{}", "the argument `path` is missing"},
        {"read_file", "[]", "the arguments must be an object"},
        {"read_file", "no json", "the arguments must be an object"},
        {"read_file", R"({"path": 7})", "the argument `path` must be a text"},
        {"read_file", R"({"path": "a", "mode": "r"})", "there is no argument `mode`"},
        {"run", R"({"invalid_arguments": "ls"})", "the argument `command` is missing"},
        {"run", "{\"command\": \"a\\u0000b\"}", "a program's arguments must not have zero bytes"}};

    for (const auto& [name, arguments, text] : wrong) {
      models::ToolResult result = world.told(name, arguments);
      CHECK(result.failed);
      CHECK(result.text == text);
      CHECK(world.last->observation.answer == "done");
      CHECK(world.last->tool_calls == 1);
    }
    CHECK(world.told("read_file", R"({"path": "none"})").failed);
    CHECK(world.told("delete_all", "{}").call_id == "c1");
    CHECK(world.last->observation.tools_used == Names{});
  }

  TEST_CASE("a student that comes to no end is an error, with what was too much") {
    World world;
    if (!world.works()) {
      return;
    }
    TurnModel endless([](const models::Request&) -> Result<models::Answer> {
      models::Answer answer = calls("list_files", "{}");
      answer.usage = {.input = 60, .output = 40};
      return answer;
    });
    Result<Work> work = world.work(endless);
    REQUIRE_FALSE(work.has_value());
    CHECK(work.error().code == ErrorCode::timed_out);
    CHECK(work.error().message == "the student came to no end within 30 turns");
    CHECK(endless.asked.size() == 30);
    world.options.max_tokens = 250;
    endless.asked.clear();
    work = world.work(endless);
    REQUIRE_FALSE(work.has_value());
    CHECK(work.error().message == "the student came to no end within 250 tokens");
    CHECK(endless.asked.size() == 3);
    world.options = {};
    world.options.max_history = 500;
    work = world.work(endless);
    REQUIRE_FALSE(work.has_value());
    CHECK(work.error().code == ErrorCode::too_large);
    world.options = {};
    world.options.limit = 500ms;
    TurnModel slow = one_call("run", R"({"command": "sleep 1000"})");
    work = world.work(slow);
    REQUIRE_FALSE(work.has_value());
    CHECK(work.error().code == ErrorCode::timed_out);
    CHECK(work.error().message == "`the student` did not answer within 0.5 s");
  }

  TEST_CASE("of too many calls in one turn the first are carried out") {
    World world;
    if (!world.works()) {
      return;
    }
    TurnModel model([](const models::Request& request) -> Result<models::Answer> {
      models::Answer answer = says("done");
      for (int i = 0; i < 100 && request.messages.size() == 1; ++i) {
        answer.calls.push_back({"c" + std::to_string(i), "list_files", "{}"});
      }
      return answer;
    });
    Result<Work> work = world.work(model);
    REQUIRE(work);
    CHECK(work->tool_calls == 16);
    // Servers want one result for each call that they are shown.
    CHECK(model.asked[1].messages[1].calls.size() == 16);
    CHECK(model.asked[1].messages[2].results.size() == 16);
    CHECK(model.asked[1].messages[2].text.find("first 16") != std::string::npos);
  }

  TEST_CASE("sums that lack a part are unknown") {
    World world;
    if (!world.works()) {
      return;
    }
    TurnModel model([](const models::Request& request) -> Result<models::Answer> {
      bool is_first = request.messages.size() == 1;
      models::Answer answer = is_first ? calls("list_files", "{}") : says("done");
      answer.usage.input = 10;
      if (is_first) {
        answer.usage.output = 5;
        answer.cost = .5;
      }
      answer.cached = is_first;
      return answer;
    });
    Result<Work> work = world.work(model);
    REQUIRE(work);
    CHECK(work->usage.input == 20);
    CHECK_FALSE(work->usage.output);
    CHECK_FALSE(work->observation.tokens);
    CHECK_FALSE(work->cost);
    CHECK_FALSE(work->cached); // one of its turns was paid for
  }

  TEST_CASE("refusals and errors of the model are the sample's") {
    World world;
    if (!world.works()) {
      return;
    }
    TurnModel refusing([](const models::Request&) -> Result<models::Answer> {
      models::Answer answer;
      answer.stop = models::Stop::refusal;
      return answer;
    });
    CHECK(world.work(refusing).error().code == ErrorCode::refused);
    TurnModel busy([](const models::Request& request) -> Result<models::Answer> {
      if (request.messages.size() == 1) {
        return calls("list_files", "{}");
      }
      return fail(ErrorCode::busy, "later");
    });
    CHECK(world.work(busy).error().code == ErrorCode::busy);
  }

  TEST_CASE("without a sandbox the model is not even asked") {
    World world("upskill-no-bwrap");
    TurnModel model([](const models::Request&) -> Result<models::Answer> { return says("hi"); });
    Result<Work> work = world.work(model);
    REQUIRE_FALSE(work.has_value());
    CHECK(work.error().code == ErrorCode::unavailable);
    CHECK(work.error().hint.starts_with("`apt install bubblewrap`"));
    CHECK(model.asked.empty());
  }

  TEST_CASE("a name that is none of a folder's is replaced") {
    const std::vector<OfferedSkill> skills = {{"../up"}, {"fine"}, {"fine"}, {""}, {".hidden"}};
    CHECK(skill_location(skills, 0) == "/skills/skill-1/SKILL.md");
    CHECK(skill_location(skills, 1) == "/skills/fine/SKILL.md");
    CHECK(skill_location(skills, 2) == "/skills/skill-3/SKILL.md");
    CHECK(skill_location(skills, 3) == "/skills/skill-4/SKILL.md");
    CHECK(skill_location(skills, 4) == "/skills/skill-5/SKILL.md");
  }
}
