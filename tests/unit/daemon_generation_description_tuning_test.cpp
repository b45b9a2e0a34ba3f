#include "daemon/generation/description_tuning.h"
#include "tests/unit/daemon_generation_world.h"

#include <optional>

using namespace upskill;
using namespace upskill::generation;
using tests::GatedModel;
using tests::has;
using tests::said;

namespace {

constexpr std::string_view k_better = "Tells what is on a box, by its number.";

// Ten wishes for the skill, ten for something near to it.
eval::CaseSuite queries() {
  eval::CaseSuite suite;
  for (int i = 0; i < 20; ++i) {
    eval::Case one;
    one.id = std::to_string(i);
    one.input = (i < 10 ? "Which code has box " : "Paint shelf ") + std::to_string(i);
    one.should_trigger = i < 10;
    suite.cases.push_back(std::move(one));
  }
  return suite;
}

models::Answer reads_skill() {
  models::Answer answer;
  answer.stop = models::Stop::tool_use;
  answer.calls = {{"c1", "read_file", R"({"path": "/skills/box-codes/SKILL.md"})"}};
  return answer;
}

asio::awaitable<void> check_into(sandbox::Sandbox* sandbox, std::optional<Result<void>>* into) {
  AWAIT(Result<void> works, sandbox->check());
  into->emplace(std::move(works));
}

struct World {
  // Students pick the skill where its description is the better one and a box is asked for.
  World()
      : student(io.get_executor(),
                [](const models::Request& request) -> Result<models::Answer> {
                  bool picks = has(request.system, k_better)
                               && has(request.messages.front().text, "Which code");
                  return picks && request.messages.size() == 1 ? reads_skill() : said("done");
                })
      , teacher(io.get_executor(),
                [](const models::Request&) {
                  return said(R"({"description": ")" + std::string(k_better) + "\"}");
                })
      , group(io.get_executor(), [](const std::exception_ptr& failure) {
        CHECK_NOTHROW(std::rethrow_exception(failure));
      }) {
    student.open();
    teacher.open();
  }

  bool works() {
    std::optional<Result<void>> tried;
    tests::run_coroutine(io, check_into(&sandbox, &tried));
    if (!*tried) {
      MESSAGE("skipped: ", tried->error().message);
    }
    return tried->has_value();
  }

  void run() {
    StudentRoomOptions options;
    options.students = {{&student, "student"}};
    options.kind = StudentKind::agent;
    options.runs = 1;
    room.emplace(io.get_executor(), pool, pool.of(0), sandbox, std::move(options));
    Result<generate::DraftReply> reply = generate::read_draft(tests::skill_text(), {});
    REQUIRE(reply);
    generate::DescriptionOptions tried;
    tried.runs = 1;
    tried.iterations = 3;
    tuning.emplace(io.get_executor(),
                   std::get<generate::Draft>(*reply),
                   queries(),
                   tried,
                   writer,
                   *room,
                   hooks);
    group.start(tuning->run());
    tests::run_coroutine(io, tests::join_group(&group));
    REQUIRE(tuning->loop().ending());
  }

  asio::io_context io;
  runtime::Pool pool{2};
  sandbox::Sandbox sandbox;
  GatedModel student;
  GatedModel teacher;
  Writer writer{teacher, "teacher"};
  TuningHooks hooks;
  runtime::TaskGroup group;
  std::optional<StudentRoom> room;
  std::optional<DescriptionTuning> tuning;
};

} // namespace

TEST_SUITE("DescriptionTuning") {
  TEST_CASE("what was not picked leads to another description, which is looked at") {
    World world;
    if (!world.works()) {
      return;
    }
    std::vector<std::string> seen;
    world.hooks.look = [&seen](generate::Draft draft,
                               bool is_last) -> asio::awaitable<Result<generate::Draft>> {
      CHECK(is_last);
      seen.push_back(draft.description);
      co_return draft;
    };
    std::size_t done = 0;
    world.hooks.progress = [&done](std::size_t number, std::size_t of) {
      CHECK(number == ++done);
      CHECK(number <= of);
    };
    world.run();
    const generate::DescriptionLoop& loop = world.tuning->loop();
    CHECK_FALSE(loop.ending()->error);
    CHECK(loop.descriptions().at(loop.ending()->description) == k_better);
    CHECK(seen == std::vector<std::string>{std::string(k_better)});
    REQUIRE(world.teacher.asked.size() == 1);
    // The teacher is shown train queries that were missed, and none of those held out.
    std::size_t shown = 0;
    for (const eval::Case& one : loop.suite().cases) {
      shown += has(world.teacher.asked[0].messages[0].text, one.input) ? 1 : 0;
    }
    CHECK(shown > 0);
    CHECK(shown <= loop.train_queries());
    CHECK(done > 0);
  }

  TEST_CASE("a budget that is spent leaves the description as it is") {
    World world;
    if (!world.works()) {
      return;
    }
    world.hooks.stopped = [] { return std::string("the budget is spent"); };
    world.run();
    CHECK(world.tuning->loop().ending()->description == 0);
    CHECK(world.teacher.asked.empty());
  }
}
