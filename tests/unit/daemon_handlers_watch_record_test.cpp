#include "daemon/handlers/watch_record.h"
#include "daemon/handlers/watch_version.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::daemon;

namespace {

eval::CaseSuite suite_of(const std::vector<std::string>& ids) {
  eval::CaseSuite suite;
  for (const std::string& id : ids) {
    suite.cases.emplace_back().id = id;
  }
  return suite;
}

EvalSample sample(std::string id, std::int64_t run, SampleOutcome outcome) {
  EvalSample one;
  one.case_id = std::move(id);
  one.run = run;
  one.outcome = outcome;
  return one;
}

} // namespace

TEST_SUITE("watch_record") {
  TEST_CASE("samples become outcomes by case, run by run, without errors") {
    std::vector<RecordedCase> cases = recorded_cases(suite_of({"a", "b", "c"}),
                                                     {sample("b", 2, SampleOutcome::failed),
                                                      sample("a", 1, SampleOutcome::passed),
                                                      sample("b", 1, SampleOutcome::passed),
                                                      sample("a", 2, SampleOutcome::error),
                                                      sample("a", 3, SampleOutcome::failed)});
    REQUIRE(cases.size() == 3);
    CHECK(cases[0].id == "a");
    CHECK(cases[0].outcomes == "10");
    CHECK(cases[1].outcomes == "10");
    CHECK(cases[2].outcomes.empty());
  }

  TEST_CASE("a test is told of the cases that it has now, and only of what was asked") {
    RecordedSubject subject;
    subject.cases = {{"a", "11"}, {"b", "01"}, {"gone", "000"}};
    regression::CaseOutcomes outcomes = outcomes_of(subject, suite_of({"b", "new", "a"}), {"a"});
    CHECK(outcomes == regression::CaseOutcomes{{false, true}, {}, {}});
  }

  TEST_CASE("what people are told has flaky cases apart") {
    RecordedSubject subject{"haiku", "chat", WatchMeasure::forced};
    for (int i = 0; i < 7; ++i) {
      subject.cases.push_back({"q" + std::to_string(i), "111111"});
    }
    subject.cases.push_back({"odd", "010110"});
    AcceptedSubjectReport report = report_of(subject, 2);
    CHECK(report.cases == 8);
    CHECK(report.samples == 48);
    CHECK(report.errors == 2);
    CHECK(report.flaky == std::vector<std::string>{"odd"});
    REQUIRE(report.rate);
    CHECK(report.rate->value == 1);
    CHECK(report.rate->low < 1);
    // Nothing is known of a subject without samples.
    CHECK_FALSE(report_of({"haiku", "chat", WatchMeasure::forced, {{"a", ""}}}, 1).rate);
  }

  TEST_CASE("a record is read as it was written, and nothing else is") {
    WatchedVersion version;
    version.document = "---\nname: x\n---\n\"quotes\" and \xc3\xa9\n";
    version.files = {{"SKILL.md", sha256("x"), false}, {"scripts/run", sha256("y"), true}};
    version.tests.emplace("evals/evals.json", "{\"evals\": []}");
    AcceptedRecord record;
    put_version(record, version);
    record.subjects.push_back({"haiku", "agent", WatchMeasure::trigger, {{"a", "1"}}});
    record.judge_model = "opus";
    Result<AcceptedRecord> read = read_record(write_record(record));
    REQUIRE(read);
    Result<WatchedVersion> again = version_of(*read);
    REQUIRE(again);
    CHECK(again->document == version.document);
    CHECK(again->files == version.files);
    CHECK(again->tests == version.tests);
    REQUIRE(read->subjects.size() == 1);
    CHECK(read->subjects[0].measure == WatchMeasure::trigger);
    CHECK(read->judge_model == "opus");
    for (std::string_view bad : {"", "{", "[]", "{\"document\": 1}"}) {
      read = read_record(bad);
      REQUIRE_FALSE(read);
      CHECK(read.error().code == ErrorCode::corrupt);
    }
    record.files[0].hash = "no hash";
    again = version_of(record);
    REQUIRE_FALSE(again);
    CHECK(again.error().code == ErrorCode::corrupt);
  }
}
