#include "tests/unit/daemon_generation_world.h"

#include <stdexcept>

using namespace upskill;
using namespace upskill::generation;
using generate::Ending;
using tests::GatedModel;
using tests::GenerationWorld;
using tests::has;
using tests::said;

TEST_SUITE("Generation") {
  TEST_CASE("the draft and its cases are asked for at the same time, and the best is told") {
    GenerationWorld world;
    world.start();
    CHECK(world.teacher.asked.size() == 1);
    CHECK(world.case_writer.asked.size() == 1);
    CHECK(world.teacher.answered + world.case_writer.answered == 0);
    world.open_all();
    world.end();
    CHECK(world.ending().kind == Ending::Kind::better);
    CHECK(world.ending().draft == 0);
    CHECK(world.generation->loop().attempts()[0].draft.name == "box-codes");
    CHECK(world.generation->loop().held_out_cases() == 10);
    CHECK_FALSE(world.generation->needs_client());
    // Two train cases and ten held out, with it and without.
    CHECK(world.student.asked.size() == 24);
  }

  TEST_CASE("baselines do not wait for the draft") {
    GenerationWorld world;
    world.start();
    world.case_writer.open();
    world.until([&] { return world.student.asked.size() == 12; });
    CHECK(world.teacher.answered == 0);
    for (const models::Request& request : world.student.asked) {
      CHECK_FALSE(has(request.system, tests::k_rule));
    }
    world.open_all();
    world.end();
    CHECK(world.ending().kind == Ending::Kind::better);
  }

  TEST_CASE("the lesson of each session is drawn once, all at the same time") {
    GenerationWorld world;
    GatedModel teacher(world.io.get_executor(), [](const models::Request& request) {
      const std::string& text = request.messages.front().text;
      for (const char* session : {"one", "two", "three"}) {
        if (has(text, std::string("evidence-") + session)) {
          return said(std::string("- lesson-") + session);
        }
      }
      return said(tests::skill_text());
    });
    Writer writer(teacher, "teacher");
    world.inputs.evidence = {"evidence-one", "evidence-two", "evidence-three"};
    world.inputs.loop.candidates = 2;
    world.teaches = &writer;
    world.start();
    CHECK(teacher.asked.size() == 3);
    teacher.open();
    world.open_all();
    world.end();
    REQUIRE(teacher.asked.size() == 5);
    CHECK(teacher.asked_of("evidence-") == 3);
    for (std::size_t i : {3u, 4u}) {
      const models::Request& merge = teacher.asked[i];
      CHECK(merge.sample == i - 2);
      for (const char* lesson : {"lesson-one", "lesson-two", "lesson-three"}) {
        CHECK(has(merge.messages.front().text, lesson));
      }
    }
    CHECK(world.ending().kind == Ending::Kind::better);
    CHECK(world.generation->loop().attempts().size() == 2);
  }

  TEST_CASE("sessions that say the same are one") {
    GenerationWorld world;
    world.inputs.evidence = {"evidence-one", "evidence-one"};
    world.start();
    REQUIRE(world.teacher.asked.size() == 1);
    CHECK(has(world.teacher.asked[0].messages[0].text, "evidence-one"));
    world.open_all();
    world.end();
    CHECK(world.teacher.asked.size() == 1);
    CHECK(world.ending().kind == Ending::Kind::better);
  }

  TEST_CASE("an exception is thrown on after everything has ended") {
    GenerationWorld world;
    GatedModel broken(
        world.io.get_executor(),
        [](const models::Request&) -> Result<models::Answer> { throw std::logic_error("broken"); });
    Writer writer(broken, "cases");
    world.writes_cases = &writer;
    world.start();
    CHECK(world.teacher.under_way == 1);
    broken.open();
    world.end();
    REQUIRE(world.failures.size() == 1);
    CHECK_THROWS_WITH_AS(std::rethrow_exception(world.failures[0]), "broken", std::logic_error);
    CHECK(world.teacher.under_way == 0);
    CHECK(world.teacher.answered == 0);
  }

  TEST_CASE("cancelled, it ends what is under way") {
    GenerationWorld world;
    world.start();
    world.case_writer.open();
    world.until([&] { return world.student.under_way == 12; });
    world.group.cancel_all();
    world.end();
    CHECK(world.teacher.under_way == 0);
    CHECK(world.student.under_way == 0);
    CHECK(world.failures.empty());
    CHECK_FALSE(world.generation->loop().ending());
  }

  TEST_CASE("a budget that is spent stops it with the best so far") {
    GenerationWorld world;
    bool is_spent = false;
    world.hooks.stopped = [&] { return is_spent ? "the budget is spent" : std::string(); };
    world.start();
    world.teacher.open();
    world.case_writer.open();
    world.until([&] { return world.student.asked.size() == 14; });
    is_spent = true;
    world.student.open();
    world.end();
    CHECK(world.ending().kind == Ending::Kind::stopped);
    CHECK(world.ending().why == "the budget is spent");
    CHECK(world.ending().draft == 0);
    CHECK(world.student.asked.size() == 14); // no look at held-out cases with it
  }

  TEST_CASE("where no student answers, their error is the end") {
    GenerationWorld world;
    GatedModel nobody(world.io.get_executor(),
                      [](const models::Request&) -> Result<models::Answer> {
                        return fail(ErrorCode::unavailable, "no server is there");
                      });
    nobody.open();
    world.answers = &nobody;
    world.start();
    world.open_all();
    world.end();
    const Ending& ending = world.ending();
    CHECK(ending.kind == Ending::Kind::failed);
    REQUIRE(ending.error);
    CHECK(ending.error->code == ErrorCode::unavailable);
    CHECK(has(ending.error->message, "no server is there"));
  }

  TEST_CASE("counterexamples join the cases that a draft is refined by") {
    GenerationWorld world;
    GatedModel adversary(world.io.get_executor(),
                         [](const models::Request&) { return said(tests::cases_text(51, 5)); });
    adversary.open();
    Writer writer(adversary, "adversary");
    world.counterexamples = &writer;
    world.inputs.loop.counterexamples = true;
    world.inputs.loop.attempts = 2;
    // The first draft teaches nothing.
    GatedModel teacher(world.io.get_executor(), [](const models::Request& request) {
      std::string text = tests::skill_text();
      bool is_refined = has(request.messages.front().text, "What is on box");
      return said(is_refined ? text : text.substr(0, text.find(tests::k_rule)) + "Look it up.\n");
    });
    teacher.open();
    Writer teaching(teacher, "teacher");
    world.teaches = &teaching;
    world.start();
    world.open_all();
    world.end();
    REQUIRE(adversary.asked.size() == 1);
    CHECK(has(adversary.asked[0].messages[0].text, "Look it up."));
    CHECK(world.generation->loop().train_cases() == 2 + 5);
    REQUIRE(teacher.asked.size() == 2);
    CHECK(has(teacher.asked[1].messages[0].text, "What is on box 51?"));
    CHECK(world.ending().kind == Ending::Kind::better);
    CHECK(world.ending().draft == 1);
  }
}
