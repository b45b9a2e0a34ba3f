#include "skills/eval/random.h"
#include "skills/eval/run_csv.h"
#include "skills/eval/run_json.h"
#include "skills/eval/run_log.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::eval;

namespace {

EvalSample sample_of(int number, EvalArm arm, std::int64_t run, SampleOutcome outcome) {
  EvalSample sample;
  sample.case_id = "case " + std::to_string(number);
  sample.arm = arm;
  sample.run = run;
  sample.outcome = outcome;
  if (outcome == SampleOutcome::error) {
    sample.error = "the server is busy";
  } else {
    sample.tokens = {10, 5, std::nullopt, 15};
    sample.milliseconds = 200;
    sample.turns = 1;
    sample.tool_calls = 0;
  }
  return sample;
}

// One run of `cases` cases, of which the first `passed` pass and the last `errors` have no outcome.
void add_run(
    EvalModelReport& model, EvalArm arm, std::int64_t run, int cases, int passed, int errors = 0) {
  for (int i = 0; i < cases; ++i) {
    SampleOutcome outcome = i >= cases - errors ? SampleOutcome::error
                            : i < passed        ? SampleOutcome::passed
                                                : SampleOutcome::failed;
    model.samples.push_back(sample_of(i, arm, run, outcome));
  }
}

EvalResult result_of(std::vector<EvalModelReport> models) {
  EvalResult result;
  result.skill = "pdf";
  result.hash = "abc";
  result.models = std::move(models);
  return result;
}

EvalModelReport model_of(std::string name) {
  EvalModelReport model;
  model.model = std::move(name);
  model.student = "chat";
  return model;
}

std::vector<RunResult> runs(const EvalResult& result) {
  return runs_of(result, "2026_01_28_14_03", "2026-01-28T13:03:00.000Z", "def");
}

RunResult one_run(int cases, int passed, int errors = 0) {
  EvalModelReport model = model_of("haiku");
  add_run(model, EvalArm::with_skill, 1, cases, passed, errors);
  return runs(result_of({model})).at(0);
}

RunResult read(std::string_view text, std::string_view metadata = {}) {
  Result<RunResult> run = read_run(text, metadata);
  if (!run) {
    FAIL(run.error().message);
  }
  return *run;
}

Error error_of(std::string_view text) {
  CAPTURE(text.substr(0, 200));
  Result<RunResult> run = read_run(text, {});
  REQUIRE_FALSE(run);
  return run.error();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string_view::npos; ++at) {
    ++found;
  }
  return found;
}

} // namespace

TEST_SUITE("runs_of") {
  // upskill computes int(rate * n), which is one less for these.
  TEST_CASE("counts are counted, never a product of a rate") {
    for (auto [passed, cases] :
         {std::pair(15, 22), std::pair(13, 23), std::pair(15, 26), std::pair(31, 39)}) {
      RunResult run = one_run(cases, passed);
      CHECK(run.assertions_passed == passed);
      CHECK(run.assertions_total == cases);
    }
    for (int cases = 1; cases < 60; ++cases) {
      for (int passed = 0; passed <= cases; ++passed) {
        CHECK(one_run(cases, passed).assertions_passed == passed);
      }
    }
  }

  TEST_CASE("a run for each model, run and arm, numbered as their folders are") {
    EvalModelReport haiku = model_of("haiku");
    EvalModelReport opus = model_of("opus");
    // In any order: evaluations draw them interleaved.
    add_run(haiku, EvalArm::with_skill, 2, 3, 3);
    add_run(haiku, EvalArm::baseline, 1, 3, 1);
    add_run(haiku, EvalArm::with_skill, 1, 3, 2);
    add_run(haiku, EvalArm::baseline, 2, 3, 0);
    add_run(opus, EvalArm::with_skill, 1, 3, 3);
    std::vector<RunResult> all = runs(result_of({haiku, opus}));
    REQUIRE(all.size() == 5);
    std::vector<std::int64_t> passed;
    for (std::size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].metadata.run_number == static_cast<std::int64_t>(i) + 1);
      CHECK(all[i].metadata.batch_id == "2026_01_28_14_03");
      CHECK(all[i].metadata.model == (i < 4 ? "haiku" : "opus"));
      CHECK(all[i].skill_name == "pdf");
      passed.push_back(all[i].assertions_passed);
    }
    CHECK(passed == std::vector<std::int64_t>{1, 2, 0, 3, 3});
    CHECK(all[0].arm == EvalArm::baseline);
    CHECK(all[1].arm == EvalArm::with_skill);
  }

  TEST_CASE("passed is every case, in either arm") {
    CHECK(one_run(5, 5).passed);
    CHECK_FALSE(one_run(5, 4).passed);
    CHECK(runs(result_of({model_of("haiku")})).empty());
  }

  TEST_CASE("errors are no failures, and no passes") {
    RunResult run = one_run(5, 3, 2);
    CHECK(run.assertions_passed == 3);
    CHECK(run.assertions_total == 3);
    CHECK_FALSE(run.passed);
    CHECK(run.error_message == "2 of 5 cases have no outcome; case `case 3`: the server is busy");
    CHECK(run.stats.total_tokens == 45);
    RunResult all = one_run(4, 0, 4);
    CHECK(all.assertions_total == 0);
    CHECK_FALSE(all.stats.total_tokens);
  }

  TEST_CASE("a run that was ended before its last case is not whole") {
    EvalModelReport model = model_of("haiku");
    add_run(model, EvalArm::with_skill, 1, 3, 3);
    EvalResult result = result_of({model});
    result.cases = 5;
    result.stopped = "the budget has no room";
    RunResult run = runs(result).at(0);
    CHECK_FALSE(run.passed);
    CHECK(run.assertions_passed == 3);
    CHECK(run.error_message == "2 of 5 cases have no outcome; the budget has no room");
  }

  TEST_CASE("what is unknown of one case is unknown of the run, never 0") {
    EvalModelReport model = model_of("haiku");
    add_run(model, EvalArm::with_skill, 1, 3, 3);
    CHECK(runs(result_of({model})).at(0).stats.conversation_span_ms == 600);
    CHECK(runs(result_of({model})).at(0).stats.llm_time_ms == 600); // one answer, no tools
    CHECK(runs(result_of({model})).at(0).stats.tool_time_ms == 0);
    model.student = "agent";
    CHECK_FALSE(runs(result_of({model})).at(0).stats.llm_time_ms);
    model.student = "chat";
    model.samples[1].tokens = {};
    RunResult run = runs(result_of({model})).at(0);
    CHECK_FALSE(run.stats.total_tokens);
    CHECK_FALSE(run.stats.input_tokens);
    CHECK(run.stats.turns == 3);
    CHECK_FALSE(has(run_result_json(run), "total_tokens"));
  }

  TEST_CASE("a summary of a batch names its models and counts its runs") {
    EvalModelReport haiku = model_of("haiku");
    EvalModelReport opus = model_of("opus");
    add_run(haiku, EvalArm::baseline, 1, 3, 1);
    add_run(haiku, EvalArm::with_skill, 1, 3, 3);
    add_run(opus, EvalArm::with_skill, 1, 3, 3);
    BatchSummary summary = summarise_batch("id", runs(result_of({haiku, opus})));
    CHECK(summary.model == "haiku, opus");
    CHECK(summary.total_runs == 3);
    CHECK(summary.passed_runs == 2);
  }
}

TEST_SUITE("run logs as JSON") {
  TEST_CASE("ours read back are the same") {
    RunResult run = one_run(22, 15, 3);
    run.metadata.model = "a \"b\" \xC3\xA9\n";
    run.session_id = "s";
    run.session_history_file = "/h";
    run.stats = {1.5, 1, 0.5, 1, 2, 3, 4, 5, 6, 7, 13};
    run.against = "../old";
    CHECK(read(run_result_json(run)) == run);
    run.arm.reset();
    run.stats = {};
    run.skill_name.clear();
    CHECK(read(run_result_json(run)) == run);
  }

  TEST_CASE("have upskill's fields") {
    std::string text = run_result_json(one_run(3, 2));
    for (std::string_view field : {"\"metadata\"",
                                   "\"model\"",
                                   "\"task\"",
                                   "\"batch_id\"",
                                   "\"run_number\"",
                                   "\"timestamp\"",
                                   "\"stats\"",
                                   "\"passed\"",
                                   "\"assertions_passed\"",
                                   "\"assertions_total\"",
                                   "\"error_message\": null",
                                   "\"session_id\": null",
                                   "\"session_history_file\": null",
                                   "\"run_type\": \"with_skill\"",
                                   "\"skill_name\": \"pdf\"",
                                   "\"conversation_span_ms\"",
                                   "\"turns\"",
                                   "\"tool_calls\"",
                                   "\"input_tokens\"",
                                   "\"output_tokens\"",
                                   "\"total_tokens\""}) {
      CAPTURE(field);
      CHECK(has(text, field));
    }
  }

  TEST_CASE("any bytes become a JSON that can be read") {
    RunResult run = one_run(1, 1);
    run.metadata.model = "\xff\xfe";
    CHECK(read(run_result_json(run)).metadata.model == "\xEF\xBF\xBD\xEF\xBF\xBD");
  }

  TEST_CASE("old ones do not tell everything") {
    RunResult run = read(R"({"passed": true, "assertions_passed": 4, "assertions_total": 5,
                             "stats": {"total_tokens": 1200.0, "tool_call_map": {"x": 1},
                                       "usage_summaries": []},
                             "error_message": null, "future": [1]})",
                         R"({"model": "sonnet", "batch_id": "b", "run_number": 3,
                             "timestamp": "2026-01-28T14:03:11.5"})");
    CHECK(run.metadata.model == "sonnet");
    CHECK(run.metadata.run_number == 3);
    CHECK(run.stats.total_tokens == 1200);
    CHECK_FALSE(run.arm);
    CHECK(run.skill_name.empty());
    CHECK(run.passed);
    RunResult empty = read("{}");
    CHECK(empty == RunResult{});
    CHECK_FALSE(read(R"({"run_type": "ablation"})").arm);
    CHECK(read(R"({"run_type": "baseline"})").arm == EvalArm::baseline);
  }

  TEST_CASE("what cannot be is named") {
    CHECK(has(error_of(R"({"assertions_passed": "4"})").message, "`assertions_passed`"));
    CHECK(has(error_of(R"({"assertions_passed": 1.5, "assertions_total": 2})").message,
              "`assertions_passed`"));
    CHECK(has(error_of(R"({"assertions_total": -1})").message, "`assertions_total`"));
    CHECK(has(error_of(R"({"assertions_total": 1e300})").message, "`assertions_total`"));
    CHECK(has(error_of(R"({"assertions_passed": 7, "assertions_total": 5})").message, "more than"));
    CHECK(has(error_of(R"({"passed": 1})").message, "`passed`"));
    CHECK(has(error_of(R"({"metadata": []})").message, "`metadata`"));
    CHECK(has(error_of(R"({"metadata": {"model": {}}})").message, "`model`"));
    CHECK(has(error_of(R"({"stats": {"turns": true}})").message, "`turns`"));
    for (std::string_view text :
         {"", "[]", "null", "{", "{\"passed\": NaN}", "{\"stats\": 1e999}", "{\"a\": \"\xff\"}"}) {
      CHECK(error_of(text).code == ErrorCode::invalid_argument);
    }
    CHECK(error_of(std::string(k_max_run_file + 1, ' ')).code == ErrorCode::too_large);
    error_of("{\"a\":" + std::string(100'000, '['));
  }

  TEST_CASE("long words are cut, at a character") {
    std::string name;
    for (int i = 0; i < 10'000; ++i) {
      name += "\xC3\xA9";
    }
    RunResult run = read(R"({"skill_name": ")" + name + R"(", "error_message": ")" + name + "\"}");
    CHECK(run.skill_name.size() == 256);
    CHECK(run.error_message.size() == 1000);
  }
}

TEST_SUITE("results.csv") {
  TEST_CASE("has upskill's columns, then ours") {
    std::string text = results_csv({});
    CHECK(text
          == "batch_id,run_number,model,task,timestamp,passed,assertions_passed,"
             "assertions_total,input_tokens,output_tokens,total_tokens,conversation_span_ms,"
             "llm_time_ms,tool_time_ms,turns,tool_calls,tool_errors,mcp_calls,execute_calls,"
             "error_message,session_id,session_history_file,run_type,skill_name,skill_hash,"
             "cases_hash,student\r\n");
  }

  TEST_CASE("a line for each run, with as many cells, and what is unknown is empty") {
    std::vector<RunResult> one{one_run(22, 15)};
    std::string text = results_csv(one);
    std::string line = text.substr(text.find('\n') + 1);
    CHECK(line
          == "2026_01_28_14_03,1,haiku,pdf,2026-01-28T13:03:00.000Z,False,15,22,220,110,330,4400,"
             "4400,0,22,0,,,,,,,with_skill,pdf,abc,def,chat\r\n");
    CHECK(count_of(line, ",") == 26);
    CHECK(count_of(text.substr(0, text.find('\n')), ",") == 26);
  }

  TEST_CASE("cells are quoted by RFC 4180") {
    CHECK(csv_cell("plain") == "plain");
    CHECK(csv_cell("").empty());
    CHECK(csv_cell("a,b") == "\"a,b\"");
    CHECK(csv_cell("say \"hi\"") == "\"say \"\"hi\"\"\"");
    CHECK(csv_cell("a\nb") == "\"a\nb\"");
    CHECK(csv_cell("a\r") == "\"a\r\"");
  }

  TEST_CASE("no text is a formula") {
    CHECK(csv_cell("=cmd|' /C calc'!A0") == "'=cmd|' /C calc'!A0");
    CHECK(csv_cell("=HYPERLINK(\"x\",\"y\")") == "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
    CHECK(csv_cell("+1+1") == "'+1+1");
    CHECK(csv_cell("-2+3") == "'-2+3");
    CHECK(csv_cell("@SUM(A1)") == "'@SUM(A1)");
    CHECK(csv_cell("\t=1") == "'\t=1");
    CHECK(csv_cell("\r=1") == "\"'\r=1\"");
    CHECK(csv_cell("-") == "'-");
    CHECK(csv_cell("-inf") == "'-inf");
    for (std::string_view number : {"-5", "+5", "-0.25", "-1e3", "3"}) {
      CHECK(csv_cell(number) == number);
    }
  }

  // Whatever goes in, a reader by the RFC finds as many cells and the text back.
  TEST_CASE("random texts survive") {
    Random random(7);
    constexpr std::string_view k_letters = "a,\"\n\r;=+-@ 1";
    for (int round = 0; round < 2000; ++round) {
      std::string text;
      for (std::uint64_t length = random.below(8); length > 0; --length) {
        text += k_letters[random.below(k_letters.size())];
      }
      std::string cell = csv_cell(text);
      std::string back;
      if (cell.starts_with('"')) {
        REQUIRE(cell.size() >= 2);
        for (std::size_t at = 1; at + 1 < cell.size(); ++at) {
          back += cell[at];
          if (cell[at] == '"') {
            ++at;
            REQUIRE(cell[at] == '"');
          }
        }
      } else {
        CHECK(cell.find_first_of(",\"\r\n") == std::string::npos);
        back = cell;
      }
      CAPTURE(text);
      CHECK((back == text || back == "'" + text));
    }
  }
}
