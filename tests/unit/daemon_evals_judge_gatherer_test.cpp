#include "daemon/await.h"
#include "daemon/evals/evaluation.h"
#include "daemon/evals/judge_gatherer.h"
#include "daemon/models/scripted.h"
#include "daemon/students/chat.h"
#include "tests/support/run_coroutine.h"
#include "tests/unit/daemon_evals_replies.h"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::evals;
using tests::answer_of;
using tests::Replies;

namespace {

std::string says(const std::string& verdict, const std::string& evidence) {
  return R"({"analysis": "", "evidence": ")" + evidence + R"(", "verdict": ")" + verdict + "\"}";
}

eval::Check judge_check(std::string rubric) {
  eval::Check check;
  check.kind = eval::CheckKind::judge;
  check.rubric = std::move(rubric);
  return check;
}

eval::Check compare_check(std::string reference) {
  eval::Check check;
  check.kind = eval::CheckKind::at_least_as_good;
  check.reference = std::move(reference);
  return check;
}

eval::Case case_of(std::vector<eval::Check> checks) {
  eval::Case one;
  one.id = "1";
  one.input = "Name the capability.";
  one.expected_output = "the one of the H100";
  one.checks = std::move(checks);
  return one;
}

asio::awaitable<void> do_gather(Gatherer* gatherer, const eval::Case* one, students::Work* work) {
  eval::Needs needs = eval::external_needs(*one);
  AWAIT_DONE(gatherer->gather(*one, needs, *work));
}

std::map<eval::CheckPosition, eval::JudgeOpinion>
opinions(JudgeGatherer& gatherer, const eval::Case& one, std::string answer = "It is 9.0.") {
  asio::io_context io;
  students::Work work;
  work.observation.answer = std::move(answer);
  tests::run_coroutine(io, do_gather(&gatherer, &one, &work));
  return work.observation.opinions;
}

asio::awaitable<void> do_run(Evaluation* evaluation, std::vector<EvalSample>* into) {
  AWAIT(*into, evaluation->run());
}

} // namespace

TEST_SUITE("JudgeGatherer") {
  TEST_CASE("each rubric is one question, and its opinion is where the check stands") {
    Replies model({answer_of(says("yes", "9.0")), answer_of(says("no", "no unit"))});
    JudgeGatherer gatherer(&model, "opus");
    eval::Check both;
    both.kind = eval::CheckKind::all_of;
    both.parts = {judge_check("names it"), judge_check("has a unit")};
    auto seen = opinions(gatherer, case_of({both}));
    CHECK(seen.size() == 2);
    CHECK(seen["1.1"] == eval::JudgeOpinion{true, "9.0"});
    CHECK(seen["1.2"] == eval::JudgeOpinion{false, "no unit"});
    REQUIRE(model.asked.size() == 2);
    const models::Request& asked = model.asked[0];
    CHECK(asked.model == "opus");
    CHECK(asked.sample == 1);
    CHECK(asked.tools.empty());
    CHECK_FALSE(asked.answer_schema.empty());
    REQUIRE(asked.messages.size() == 1);
    for (const char* part :
         {"Name the capability.", "the one of the H100", "It is 9.0.", "names it"}) {
      CHECK(asked.messages[0].text.find(part) != std::string::npos);
    }
    CHECK(asked.messages[0].text.find("has a unit") == std::string::npos);
    CHECK(asked.system == model.asked[1].system);
  }

  TEST_CASE("a comparison is asked in both orders") {
    Replies model({answer_of(says("first", "9.0")), answer_of(says("second", "9.0"))});
    JudgeGatherer gatherer(&model, "opus");
    auto seen = opinions(gatherer, case_of({compare_check("The reference.")}));
    CHECK(seen["1"] == eval::JudgeOpinion{true, "9.0"});
    REQUIRE(model.asked.size() == 2);
    auto at = [&](int i, const char* part) { return model.asked[i].messages[0].text.find(part); };
    CHECK(at(0, "It is 9.0.") < at(0, "The reference."));
    CHECK(at(1, "The reference.") < at(1, "It is 9.0."));
    Replies biased({answer_of(says("first", "9.0")), answer_of(says("first", "reference"))});
    JudgeGatherer of_place(&biased, "opus");
    CHECK_FALSE(opinions(of_place, case_of({compare_check("The reference.")}))["1"].holds);
    // What cannot decide any more is not paid for.
    Replies silent({answer_of(says("cannot_tell", "unclear"))});
    JudgeGatherer of_nothing(&silent, "opus");
    CHECK(opinions(of_nothing, case_of({compare_check("x")}))["1"]
          == eval::JudgeOpinion{{}, "unclear"});
    CHECK(silent.asked.size() == 1);
  }

  TEST_CASE("what the case expects is no hint where it is what the answer is compared with") {
    Replies model({answer_of(says("tie", "same"))});
    JudgeGatherer gatherer(&model, "opus");
    opinions(gatherer, case_of({compare_check("")}));
    REQUIRE_FALSE(model.asked.empty());
    const std::string& text = model.asked[0].messages[0].text;
    CHECK(text.find("the one of the H100") == text.rfind("the one of the H100"));
    CHECK(text.find("BEGIN expected") == std::string::npos);
  }

  TEST_CASE("no judge is named") {
    JudgeGatherer gatherer(nullptr, "");
    auto seen = opinions(gatherer, case_of({judge_check("good?")}));
    CHECK(seen["1"]
          == eval::JudgeOpinion{{}, "no judge model is named (name one with `--judge-model`)"});
    REQUIRE(gatherer.first_error());
    CHECK(gatherer.first_error()->hint == "name one with `--judge-model`");
    CHECK(gatherer.spent().asked() == 0);
  }

  TEST_CASE("what keeps a judge from answering is told, and is no verdict") {
    models::Answer refused = answer_of("no");
    refused.stop = models::Stop::refusal;
    models::Answer cut = answer_of(says("yes", "9.0"));
    cut.stop = models::Stop::length;
    Replies model({fail(ErrorCode::refused, "the budget is spent", "raise it"),
                   refused,
                   cut,
                   answer_of("<html>")});
    JudgeGatherer gatherer(&model, "opus");
    auto check = judge_check("good?");
    auto seen = opinions(gatherer, case_of({check, check, check, check, check}));
    CHECK(seen["1"] == eval::JudgeOpinion{{}, "the budget is spent (raise it)"});
    CHECK(seen["2"] == eval::JudgeOpinion{{}, "the judge refused to answer"});
    CHECK(seen["3"] == eval::JudgeOpinion{{}, "the judge's reply was cut off"});
    CHECK(seen["4"] == eval::JudgeOpinion{{}, "its reply has no JSON object with `verdict`"});
    CHECK(seen["5"] == eval::JudgeOpinion{{}, "nobody expected this question"});
    CHECK(gatherer.first_error()->message == "the budget is spent");
  }

  TEST_CASE("nothing to judge is not asked about") {
    Replies model({});
    JudgeGatherer gatherer(&model, "opus");
    CHECK(opinions(gatherer, case_of({judge_check("good?")}), " \n")["1"]
          == eval::JudgeOpinion{false, "the answer is empty"});
    eval::Case plain = case_of({{}});
    CHECK(opinions(gatherer, plain).empty());
    CHECK(model.asked.empty());
  }

  TEST_CASE("what a judge takes is kept apart, and unknown where it is not told") {
    models::Answer cached = answer_of(says("yes", "9.0"), 7);
    cached.cached = true;
    Replies model({answer_of(says("yes", "9.0")), cached, answer_of(says("no", "x"), 0.25)});
    JudgeGatherer gatherer(&model, "opus");
    auto check = judge_check("good?");
    opinions(gatherer, case_of({check, check, check}));
    CHECK(gatherer.spent().asked() == 2);
    CHECK(gatherer.spent().cached() == 1);
    CHECK(gatherer.spent().cost() == 0.75);
    CHECK(gatherer.spent().usage().input == 200);
    CHECK(gatherer.spent().usage().output == 20);
    CHECK_FALSE(gatherer.spent().usage().reasoning); // nobody told
    Replies unpriced({answer_of(says("no", "x"), {}), answer_of(says("no", "x"))});
    JudgeGatherer other(&unpriced, "opus");
    opinions(other, case_of({check, check}));
    CHECK_FALSE(other.spent().cost());
    CHECK(JudgeGatherer(nullptr, "").spent().cost() == 0.0); // nothing was asked
  }

  TEST_CASE("in an evaluation, the arms' tokens are those of the student") {
    auto script = models::read_script(R"({"rules": [
      {"model": "judge", "user": "feat: login", "cost": 3, "usage": {"input": 1000, "output": 1000},
       "answer": {"analysis": "", "evidence": "feat:", "verdict": "yes"}},
      {"model": "judge", "user": "case two", "fault": "busy"},
      {"model": "judge", "answer": {"analysis": "", "evidence": "no type", "verdict": "no"}},
      {"system": "Skill: commit", "answer": "feat: login", "usage": {"input": 5, "output": 2}},
      {"answer": "Added login", "usage": {"input": 3, "output": 2}}]})",
                                      "rules.json");
    REQUIRE(script);
    models::ScriptedModel model(std::move(*script));
    students::Chat student(model, "scripted", {{{"commit", "", "Begin with `feat: `."}}});
    JudgeGatherer judge(&model, "judge");
    eval::CaseSuite suite;
    suite.cases = {case_of({judge_check("has a type")}), case_of({judge_check("has a type")})};
    suite.cases[1].id = "2";
    suite.cases[1].input = "case two";
    EvaluationOptions options;
    options.gatherers = {&judge};
    asio::io_context io;
    Evaluation evaluation(io.get_executor(), suite, student, std::move(options));
    std::vector<EvalSample> samples;
    tests::run_coroutine(io, do_run(&evaluation, &samples));
    REQUIRE(samples.size() == 4);
    for (const EvalSample& sample : samples) {
      bool with = sample.arm == EvalArm::with_skill;
      bool lost = sample.case_id == "2" && !with;
      CAPTURE(sample.error);
      CHECK(sample.outcome
            == (lost   ? SampleOutcome::error
                : with ? SampleOutcome::passed
                       : SampleOutcome::failed));
      CHECK(sample.tokens.total == (with ? 7 : 5));
      CHECK(sample.cost == 0.0);
    }
    CHECK(judge.spent().cost() == 6.0);
    CHECK(judge.spent().asked() == 3);
  }
}
