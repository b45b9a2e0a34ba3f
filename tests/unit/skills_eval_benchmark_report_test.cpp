#include "skills/eval/benchmark_report.h"
#include "tests/unit/skills_eval_results.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <set>

using namespace upskill;
using namespace upskill::eval;
using namespace upskill::eval::test;
using doctest::Approx;
using Json = nlohmann::ordered_json;

namespace {

Json benchmark(const EvalResult& result, std::size_t model = 0) {
  return Json::parse(benchmark_report(result, model));
}

std::vector<std::string> names(const Json& object) {
  std::vector<std::string> found;
  for (const auto& [name, value] : object.items()) {
    found.push_back(name);
  }
  return found;
}

using Names = std::vector<std::string>;

} // namespace

TEST_SUITE("benchmark_report") {
  TEST_CASE("the names that the viewer reads") { // evals facts, 3
    const Json file = benchmark(result_of(2));
    CHECK(names(file) == Names{"metadata", "runs", "run_summary", "notes"});
    CHECK(names(file["metadata"])
          == Names{"skill_name",
                   "skill_path",
                   "executor_model",
                   "analyzer_model",
                   "timestamp",
                   "evals_run",
                   "runs_per_configuration"});
    CHECK(file["metadata"]["skill_name"] == "pdf-forms");
    CHECK(file["metadata"]["executor_model"] == "model 1");
    CHECK(file["metadata"]["runs_per_configuration"] == 1);
    REQUIRE(file["runs"].size() == 4);
    CHECK(names(file["runs"][0])
          == Names{"eval_id",
                   "eval_name",
                   "configuration",
                   "run_number",
                   "result",
                   "expectations",
                   "notes"});
    CHECK(names(file["runs"][0]["result"])
          == Names{"pass_rate",
                   "passed",
                   "failed",
                   "total",
                   "time_seconds",
                   "tokens",
                   "tool_calls",
                   "errors"});
    CHECK(names(file["runs"][0]["expectations"][0]) == Names{"text", "passed", "evidence"});
    // The viewer takes the first configuration for the new one.
    CHECK(names(file["run_summary"]) == Names{"with_skill", "without_skill", "delta"});
    for (const char* arm : {"with_skill", "without_skill"}) {
      CHECK(names(file["run_summary"][arm]) == Names{"pass_rate", "time_seconds", "tokens"});
      CHECK(names(file["run_summary"][arm]["tokens"]) == Names{"mean", "stddev", "min", "max"});
    }
    CHECK(names(file["run_summary"]["delta"]) == Names{"pass_rate", "time_seconds", "tokens"});
  }

  TEST_CASE("numbers are those of the samples") {
    EvalResult result = result_of(2);
    result.runs = 7;
    auto& samples = result.models[0].samples;
    samples = {sample("a", EvalArm::with_skill, 1, SampleOutcome::passed),
               sample("a", EvalArm::with_skill, 2, SampleOutcome::failed),
               sample("b", EvalArm::baseline, 1, SampleOutcome::failed)};
    result.models[0].cases.clear();
    samples[0].tokens.total = 1'000;
    samples[1].tokens.total = 2'000;
    samples[2].tokens.total = 3'200;
    samples[0].milliseconds = 2'500;
    samples[0].tool_calls = 4;
    // One of two checks, and one that could not be told.
    samples[1].checks = {{"x", SampleOutcome::passed, ""},
                         {"y", SampleOutcome::failed, ""},
                         {"z", SampleOutcome::error, ""}};
    const Json file = benchmark(result);
    CHECK(file["metadata"]["runs_per_configuration"] == 7);
    CHECK(file["metadata"]["evals_run"] == Json::array({1, 2}));
    const Json& first = file["runs"][0];
    CHECK(first["eval_name"] == "a");
    CHECK(first["configuration"] == "with_skill");
    CHECK(first["result"]["tokens"] == 1'000);
    CHECK(first["result"]["time_seconds"] == 2.5);
    CHECK(first["result"]["tool_calls"] == 4);
    const Json& second = file["runs"][1];
    CHECK(second["run_number"] == 2);
    CHECK(second["result"]["pass_rate"] == .5);
    CHECK(second["result"]["passed"] == 1);
    CHECK(second["result"]["total"] == 2);
    CHECK(second["expectations"].size() == 2);
    const Json& with = file["run_summary"]["with_skill"];
    CHECK(with["pass_rate"]["mean"] == .75);
    CHECK(with["pass_rate"]["stddev"].get<double>() == Approx(.353553)); // .25 * sqrt(2)
    CHECK(with["tokens"]["mean"] == 1'500);
    CHECK(with["tokens"]["min"] == 1'000);
    CHECK(with["tokens"]["max"] == 2'000);
    const Json& delta = file["run_summary"]["delta"];
    CHECK(delta["pass_rate"] == "+0.75");
    CHECK(delta["time_seconds"] == "+0.5");
    CHECK(delta["tokens"] == "-1700");
  }

  TEST_CASE("what is unknown is null, all of it") {
    EvalResult result = result_of(3);
    for (EvalSample& one : result.models[0].samples) {
      one.milliseconds.reset();
      one.tool_calls.reset();
    }
    result.models[0].samples[0].tokens.total.reset();
    const Json file = benchmark(result);
    CHECK(file["runs"][0]["result"]["tokens"].is_null());
    CHECK(file["runs"][0]["result"]["time_seconds"].is_null());
    CHECK(file["runs"][0]["result"]["tool_calls"].is_null());
    // A mean of those that tell would be one of other runs; and the viewer cannot show a null in
    // it.
    CHECK(file["run_summary"]["with_skill"]["tokens"].is_null());
    CHECK(file["run_summary"]["without_skill"]["tokens"]["mean"] == 100);
    CHECK(file["run_summary"]["with_skill"]["time_seconds"].is_null());
    CHECK(file["run_summary"]["delta"]["tokens"].is_null());
    CHECK(file["run_summary"]["delta"]["pass_rate"].is_string());
  }

  TEST_CASE("a sample without an outcome is no run of 0 %") {
    const Json file = benchmark(result_of(5));
    CHECK(file["runs"].size() == 9);
    CHECK(file["notes"].dump().find("1 samples without an outcome") != std::string::npos);
    for (const Json& run : file["runs"]) {
      CHECK(run["result"]["pass_rate"].is_number());
    }
  }

  TEST_CASE("ids stay where they are numbers, as the viewer sorts by them") {
    EvalResult result = result_of(2);
    auto rename = [&](const std::string& from, const std::string& to) {
      for (EvalCaseReport& one : result.models[0].cases) {
        one.case_id = one.case_id == from ? to : one.case_id;
      }
      for (EvalSample& one : result.models[0].samples) {
        one.case_id = one.case_id == from ? to : one.case_id;
      }
    };
    rename("case 1", "12");
    CHECK(benchmark(result)["metadata"]["evals_run"] == Json::array({1, 2}));
    rename("case 2", "7");
    CHECK(benchmark(result)["metadata"]["evals_run"] == Json::array({12, 7}));
    rename("7", "007"); // not what a number is written like
    CHECK(benchmark(result)["metadata"]["evals_run"] == Json::array({1, 2}));
  }

  TEST_CASE("another version of the skill, other models, a script, one arm") {
    EvalResult result = result_of(3, 2);
    result.against = "old/pdf-forms";
    result.scripted = true;
    const Json file = benchmark(result, 1);
    CHECK(file["metadata"]["executor_model"] == "model 2");
    CHECK(names(file["run_summary"]) == Names{"with_skill", "old_skill", "delta"});
    CHECK(file["notes"].dump().find("not in this file: model 1") != std::string::npos);
    CHECK(file["notes"].dump().find("scripted") != std::string::npos);
    const Json alone = benchmark(result_of(3, 1, false));
    CHECK(names(alone["run_summary"]) == Names{"with_skill", "delta"});
    CHECK(alone["run_summary"]["delta"]["pass_rate"].is_null());
  }

  TEST_CASE("hostile texts and nothing at all are JSON") {
    CHECK(benchmark(hostile_result())["runs"].size() == 6);
    CHECK(benchmark({})["runs"] == Json::array());
    CHECK(benchmark({})["run_summary"]["with_skill"]["pass_rate"].is_null());
  }
}
