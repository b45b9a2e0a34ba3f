#include "tests/unit/daemon_evals_replies.h"
#include "tests/unit/daemon_generation_world.h"

#include <variant>

using namespace upskill;
using namespace upskill::generation;
using generate::Draft;
using generate::DraftReply;
using tests::answer_of;
using tests::has;
using tests::Replies;

namespace {

asio::awaitable<void> draft_into(Writer* writer,
                                 generate::Prompt prompt,
                                 generate::DraftWanted wanted,
                                 LookAtDraft look,
                                 std::uint32_t sample,
                                 Result<DraftReply>* into) {
  AWAIT(*into, writer->draft(std::move(prompt), std::move(wanted), std::move(look), sample));
}

asio::awaitable<void>
lesson_into(Writer* writer, generate::Prompt prompt, Result<std::string>* into) {
  AWAIT(*into, writer->lesson(std::move(prompt)));
}

asio::awaitable<void>
cases_into(Writer* writer, generate::CasesWanted wanted, Result<eval::CaseSuite>* into) {
  AWAIT(*into, writer->cases(std::move(wanted)));
}

// What comes of a draft that is asked of these replies.
struct Asked {
  explicit Asked(std::deque<Result<models::Answer>> says)
      : model(std::move(says)) {}

  Result<DraftReply> draft(generate::DraftWanted wanted = {}, std::uint32_t sample = 1) {
    asio::io_context io;
    Writer writer(model, "sonnet");
    generate::Prompt prompt = generate::draft_prompt({"Tell codes.", {}, {}, {}});
    mark = prompt.mark;
    Result<DraftReply> reply = fail(ErrorCode::internal, "nothing came");
    tests::run_coroutine(
        io, draft_into(&writer, std::move(prompt), std::move(wanted), look, sample, &reply));
    return reply;
  }

  Replies model;
  LookAtDraft look = tests::take_as_it_is;
  std::string mark;
};

} // namespace

TEST_SUITE("Writer") {
  TEST_CASE("a draft that cannot be read is asked for once more, with what is wrong") {
    Asked asked({answer_of("---\nname: a\n---\n"), answer_of(tests::skill_text())});
    Result<DraftReply> reply = asked.draft({}, 3);
    REQUIRE(reply);
    CHECK(std::get<Draft>(*reply).name == "box-codes");
    REQUIRE(asked.model.asked.size() == 2);
    const models::Request& again = asked.model.asked[1];
    REQUIRE(again.messages.size() == 3);
    CHECK(again.messages[0] == asked.model.asked[0].messages[0]);
    CHECK(again.messages[1].role == models::Role::assistant);
    CHECK(again.messages[1].text == "---\nname: a\n---\n");
    Result<DraftReply> problem = generate::read_draft("---\nname: a\n---\n", {});
    REQUIRE_FALSE(problem);
    CHECK(again.messages[2].text == generate::draft_correction(problem.error()));
    CHECK(asked.model.asked[0].sample == 3);
    CHECK(again.sample == 3);
    CHECK(again.model == "sonnet");
    CHECK(again.max_tokens >= generate::k_most_tokens);
  }

  TEST_CASE("the second failure is the end") {
    Asked asked({answer_of("Sure."), answer_of("Here you are.")});
    Result<DraftReply> reply = asked.draft();
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::corrupt);
    CHECK(has(reply.error().message, "the skill that `sonnet` wrote cannot be read: "));
    CHECK(asked.model.asked.size() == 2);
  }

  TEST_CASE("nobody argues with a server, or with a refusal") {
    Asked down({fail(ErrorCode::unavailable, "the server is down")});
    Result<DraftReply> reply = down.draft();
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::unavailable);
    CHECK(down.model.asked.size() == 1);
    models::Answer no = answer_of("No.");
    no.stop = models::Stop::refusal;
    Asked refused({no});
    reply = refused.draft();
    REQUIRE_FALSE(reply);
    CHECK(reply.error().code == ErrorCode::refused);
    CHECK(refused.model.asked.size() == 1);
  }

  TEST_CASE("that no skill is warranted is an answer, and is not looked at") {
    Asked asked({answer_of("NO SKILL: everybody knows it")});
    asked.look = [](Draft, bool) -> asio::awaitable<Result<Draft>> {
      co_return fail(ErrorCode::internal, "looked at");
    };
    Result<DraftReply> reply = asked.draft();
    REQUIRE(reply);
    CHECK(std::get<generate::NotWarranted>(*reply).reason == "everybody knows it");
  }

  TEST_CASE("what a look finds is told, and the last look knows that it is the last") {
    Asked asked({answer_of(tests::skill_text()), answer_of(tests::skill_text())});
    std::vector<bool> lasts;
    asked.look = [&lasts](Draft draft, bool is_last) -> asio::awaitable<Result<Draft>> {
      lasts.push_back(is_last);
      if (!is_last) {
        co_return fail(ErrorCode::invalid_argument, "the name `box-codes` is taken");
      }
      draft.name = "box-codes-2";
      co_return draft;
    };
    Result<DraftReply> reply = asked.draft();
    REQUIRE(reply);
    CHECK(std::get<Draft>(*reply).name == "box-codes-2");
    CHECK(lasts == std::vector<bool>{false, true});
    CHECK(has(asked.model.asked[1].messages[2].text, "the name `box-codes` is taken"));
  }

  TEST_CASE("files behind the prompt's mark are the skill's, those that it had stay") {
    Asked first({});
    static_cast<void>(first.draft());
    REQUIRE_FALSE(first.mark.empty());
    auto file = [&](const std::string& mark, const std::string& path) {
      return "\nFILE " + mark + " " + path + "\n```\nnew text\n```\n";
    };
    Asked asked({answer_of(tests::skill_text() + file(first.mark, "references/new.md"))});
    generate::DraftWanted wanted;
    wanted.files["references/old.md"] = {"old text\n", false};
    wanted.files["scripts/old.sh"] = {"#!/bin/sh\n", true};
    Result<DraftReply> reply = asked.draft(wanted);
    REQUIRE(reply);
    const Draft& draft = std::get<Draft>(*reply);
    CHECK(draft.files.size() == 3);
    CHECK(draft.files.at("references/old.md").text == "old text\n");
    CHECK(draft.files.at("references/new.md").text == "new text\n");
    CHECK(draft.files.at("scripts/old.sh").is_program);
    // Another's mark is no file.
    Asked other({answer_of(tests::skill_text() + file("0123456789abcdef", "references/new.md"))});
    reply = other.draft();
    REQUIRE(reply);
    CHECK(std::get<Draft>(*reply).files.empty());
  }

  TEST_CASE("a lesson is text that is there") {
    asio::io_context io;
    Replies model({answer_of(" \n"), answer_of("\n- Quote `no`.\n")});
    Writer writer(model, "sonnet");
    Result<std::string> lesson = fail(ErrorCode::internal, "nothing came");
    tests::run_coroutine(
        io,
        lesson_into(&writer, generate::lesson_prompt({"Tell codes.", {}, {}, "words"}), &lesson));
    CHECK(lesson == "- Quote `no`.");
    CHECK(has(model.asked[0].messages[0].text, "words"));
    CHECK(writer.spent().asked() == 2);
    CHECK(writer.spent().cost() == 1.0);
  }

  TEST_CASE("cases that cannot be read are asked for once more") {
    asio::io_context io;
    Replies model({answer_of("<html>"), answer_of(tests::cases_text(11, 3))});
    Writer writer(model, "opus");
    Result<eval::CaseSuite> suite = fail(ErrorCode::internal, "nothing came");
    generate::CasesWanted wanted;
    wanted.task = "Tell codes.";
    wanted.known = {"What is on box 12?"};
    wanted.count = 3;
    tests::run_coroutine(io, cases_into(&writer, wanted, &suite));
    REQUIRE(suite);
    CHECK(suite->cases.size() == 2); // one is known
    REQUIRE(model.asked.size() == 2);
    CHECK_FALSE(model.asked[0].answer_schema.empty());
    CHECK(has(model.asked[1].messages[2].text, "Reply again"));
  }
}
