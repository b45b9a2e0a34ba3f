#include "tests/support/temporary_folder.h"
#include "tests/unit/daemon_generation_world.h"

#include <optional>

using namespace upskill;
using namespace upskill::generation;
using tests::has;
using tests::said;

namespace {

eval::CaseSuite boxes(int count) {
  generate::CasesWanted wanted;
  wanted.count = static_cast<std::size_t>(count);
  Result<eval::CaseSuite> suite = generate::read_task_cases(tests::cases_text(11, count), wanted);
  REQUIRE(suite);
  return *suite;
}

generate::Draft draft() {
  Result<generate::DraftReply> reply = generate::read_draft(tests::skill_text(), {});
  REQUIRE(reply);
  return std::get<generate::Draft>(*reply);
}

asio::awaitable<void> examine_into(StudentRoom* room,
                                   eval::CaseSuite suite,
                                   std::optional<generate::Draft> draft,
                                   std::function<void()> progress,
                                   std::optional<Result<Examined>>* into) {
  std::optional<students::OfferedSkill> skill;
  if (draft) {
    skill = offered(*draft);
  }
  AWAIT(
      Result<Examined> examined,
      room->examine(0, std::move(suite), std::move(skill), std::move(draft), std::move(progress)));
  into->emplace(std::move(examined));
}

asio::awaitable<void> check_into(sandbox::Sandbox* sandbox, std::optional<Result<void>>* into) {
  AWAIT(Result<void> works, sandbox->check());
  into->emplace(std::move(works));
}

struct World {
  explicit World(tests::GatedModel::Say say, StudentKind kind = StudentKind::chat)
      : model(io.get_executor(), std::move(say)) {
    model.open();
    StudentRoomOptions options;
    options.students = {{&model, "student"}};
    options.kind = kind;
    options.runs = 2;
    room.emplace(io.get_executor(), pool, pool.of(0), sandbox, std::move(options));
  }

  Examined examine(const eval::CaseSuite& suite, std::optional<generate::Draft> skill) {
    std::optional<Result<Examined>> examined;
    tests::run_coroutine(io,
                         examine_into(
                             &*room, suite, std::move(skill), [this] { ++told; }, &examined));
    REQUIRE(*examined);
    return std::move(**examined);
  }

  bool works() {
    std::optional<Result<void>> tried;
    tests::run_coroutine(io, check_into(&sandbox, &tried));
    if (!*tried) {
      MESSAGE("skipped: ", tried->error().message);
    }
    return tried->has_value();
  }

  asio::io_context io;
  runtime::Pool pool{2};
  sandbox::Sandbox sandbox;
  tests::GatedModel model;
  std::optional<StudentRoom> room;
  std::size_t told = 0;
};

} // namespace

TEST_SUITE("StudentRoom") {
  TEST_CASE("arms differ in the skill alone") {
    World world(tests::answer_of_student);
    eval::CaseSuite suite = boxes(1);
    Examined with = world.examine(suite, draft());
    Examined without = world.examine(suite, std::nullopt);
    REQUIRE(with.samples.size() == 2);
    REQUIRE(without.samples.size() == 2);
    CHECK(world.told == 4);
    CHECK_FALSE(with.first_error);
    for (std::size_t i : {0u, 1u}) {
      CHECK(with.samples[i].outcome == SampleOutcome::passed);
      CHECK(without.samples[i].outcome == SampleOutcome::failed);
    }
    REQUIRE(world.model.asked.size() == 4);
    CHECK(has(world.model.asked[0].system, tests::k_rule));
    CHECK_FALSE(has(world.model.asked[2].system, tests::k_rule));
    for (std::size_t i : {0u, 1u}) {
      models::Request one = world.model.asked[i];
      models::Request other = world.model.asked[i + 2];
      one.system.clear();
      other.system.clear();
      CHECK(one == other);
    }
    CHECK(world.model.asked[0].sample != world.model.asked[1].sample);
  }

  TEST_CASE("an error is no outcome, and where there is none it is the answer") {
    World world([](const models::Request&) -> Result<models::Answer> {
      return fail(ErrorCode::unavailable, "no server is there");
    });
    Examined examined = world.examine(boxes(2), std::nullopt);
    REQUIRE(examined.samples.size() == 4);
    CHECK(examined.samples[0].outcome == SampleOutcome::error);
    REQUIRE(examined.first_error);
    CHECK(examined.first_error->code == ErrorCode::unavailable);
    Examined partly = examined;
    partly.samples[1].outcome = SampleOutcome::failed;
    Result<std::vector<EvalSample>> none = samples_of(std::move(examined));
    REQUIRE_FALSE(none);
    CHECK(none.error().message == "no server is there");
    Result<std::vector<EvalSample>> some = samples_of(std::move(partly));
    REQUIRE(some);
    CHECK(some->size() == 4);
  }

  TEST_CASE("a part of the cases is the part of these numbers") {
    eval::CaseSuite suite = boxes(4);
    eval::CaseSuite part = part_of(suite, {1, 3});
    REQUIRE(part.cases.size() == 2);
    CHECK(part.cases[0].input == "What is on box 12?");
    CHECK(part.cases[1].input == "What is on box 14?");
  }

  TEST_CASE("students that open their skills get a copy, whose scripts can be run") {
    World world(
        [](const models::Request& request) -> Result<models::Answer> {
          if (request.messages.size() > 1) {
            return said(request.messages.back().results.at(0).text);
          }
          models::Answer answer;
          answer.stop = models::Stop::tool_use;
          answer.calls = {{"c1", "run", R"({"command": "/skills/box-codes/scripts/tell.sh 11"})"}};
          return answer;
        },
        StudentKind::agent);
    if (!world.works()) {
      return;
    }
    generate::Draft skill = draft();
    skill.files["scripts/tell.sh"] = {"#!/bin/sh\necho code-$1 zulu-$1\n", true};
    Examined with = world.examine(boxes(1), skill);
    Examined without = world.examine(boxes(1), std::nullopt);
    for (const EvalSample& sample : with.samples) {
      CHECK(sample.outcome == SampleOutcome::passed);
      CHECK(sample.skill_used == true);
    }
    for (const EvalSample& sample : without.samples) {
      CHECK(sample.outcome == SampleOutcome::failed);
    }
  }
}
