#include "daemon/await.h"
#include "daemon/models/scripted.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::models;

namespace {

Script script(std::string_view text) {
  Result<Script> read = read_script(text, "rules.json");
  REQUIRE_MESSAGE(read.has_value(), (read ? "" : read.error().message));
  return *read;
}

std::string problem(std::string_view text) {
  Result<Script> read = read_script(text, "rules.json");
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == ErrorCode::invalid_argument);
  return read.error().message;
}

Request asks(std::string user, std::uint32_t sample = 0, std::string system = {}) {
  return {.system = std::move(system), .messages = {{.text = std::move(user)}}, .sample = sample};
}

asio::awaitable<void> ask(Model* model, Request request, Result<Answer>* into) {
  AWAIT(*into, model->answer(std::move(request)));
}

Result<Answer> answered(std::string_view rules, Request request) {
  asio::io_context io;
  ScriptedModel model(script(rules));
  Result<Answer> answer;
  tests::run_coroutine(io, ask(&model, std::move(request), &answer));
  return answer;
}

} // namespace

TEST_SUITE("ScriptedModel") {
  TEST_CASE("the first rule that fits answers") {
    constexpr std::string_view k_rules = R"({"format": 1, "rules": [
      {"system": "git-commit", "user": ["commit", "login"], "answer": "feat: login",
       "usage": {"input": 900, "output": 11}, "cost": 0.5},
      {"user": "commit", "sample": [1, 3], "answer": {"ok": true}},
      {"user": "commit", "sample": {"every": 2}, "answer": "even"},
      {"turn": 1, "answer": "done"},
      {"user": "tool", "calls": [{"name": "read", "arguments": {"path": "a"}}]}]})";
    Result<Answer> first = answered(k_rules, asks("commit my login", 7, "has git-commit"));
    REQUIRE(first);
    CHECK(first->text == "feat: login");
    CHECK(first->provider == "scripted");
    CHECK(first->usage == Usage{.input = 900, .output = 11});
    CHECK(*first->cost == 0.5);
    CHECK(answered(k_rules, asks("commit", 3))->text == R"({"ok":true})");
    CHECK(answered(k_rules, asks("commit", 4))->text == "even");
    Request request = asks("tool");
    Result<Answer> call = answered(k_rules, request);
    REQUIRE(call);
    CHECK(call->stop == Stop::tool_use);
    CHECK(call->calls == std::vector<ToolCall>{{"call_1", "read", R"({"path":"a"})"}});
    request.messages.push_back({.role = Role::assistant, .calls = call->calls});
    CHECK(answered(k_rules, request)->text == "done");
    Result<Answer> none = answered(k_rules, asks("commit", 5));
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
    CHECK(none.error().message == "`rules.json`: no rule fits sample 5 of `commit\n`");
  }

  TEST_CASE("faults, refusals and delays") {
    constexpr std::string_view k_rules = R"({"rules": [
      {"user": "a", "fault": "busy"}, {"user": "b", "fault": "refusal"},
      {"user": "c", "answer": "late", "delay_ms": 1, "stop": "length"}]})";
    CHECK(answered(k_rules, asks("a")).error().code == ErrorCode::busy);
    CHECK(answered(k_rules, asks("b"))->stop == Stop::refusal);
    Result<Answer> late = answered(k_rules, asks("c"));
    CHECK(late->text == "late");
    CHECK(late->milliseconds == 1);
    CHECK(late->stop == Stop::length);
  }

  TEST_CASE("chance picks the same samples every time, and about that share") {
    Script rules = script(R"({"rules": [{"chance": 0.6, "seed": 7, "answer": "pass"}]})");
    int passed = 0;
    for (std::uint32_t sample = 0; sample < 2000; ++sample) {
      bool is_lucky = rule_for(rules, asks("p", sample)) != nullptr;
      CHECK(is_lucky == (rule_for(rules, asks("p", sample)) != nullptr));
      passed += is_lucky ? 1 : 0;
    }
    CHECK(passed > 1130); // 1200 +- 3.2 standard deviations
    CHECK(passed < 1270);
  }

  TEST_CASE("errors name their place") {
    CHECK(problem("{\n\n nonsense}") == "`rules.json`: line 3 is no JSON");
    CHECK(problem("[]") == "`rules.json`: `the script` must be an object");
    CHECK(problem("{}") == "`rules.json`: `rules` must be a list");
    CHECK(problem(R"({"rules":[{"answer":"a"},{"answer":1}]})")
          == "`rules.json`: `rules[1].answer` must be a text");
    CHECK(problem(R"({"rules":[{"anwser":"a"}]})")
          == "`rules.json`: `rules[0].anwser` is not known here");
    CHECK(problem(R"({"rules":[{"user":"a"}]})")
          == "`rules.json`: `rules[0]` needs `answer`, `calls` or `fault`");
    CHECK(problem(R"({"rules":[{"answer":"a","chance":2}]})")
          == "`rules.json`: `rules[0].chance` must be a number from 0 to 1");
    CHECK(problem(R"({"rules":[{"answer":"a","sample":{"every":0}}]})")
          == "`rules.json`: `rules[0].sample` needs `every` of 1 or more, and a smaller `rest`");
    CHECK(problem(R"({"rules":[{"fault":"nothing"}]})").find("must be `refusal`")
          != std::string::npos);
  }
}
