#include "skills/eval/run_history.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::eval;
using doctest::Approx;

namespace {

LoggedRun run_of(std::string batch,
                 std::string skill,
                 std::string model,
                 std::optional<EvalArm> arm,
                 std::int64_t passed,
                 std::int64_t total,
                 std::optional<std::int64_t> tokens = {}) {
  LoggedRun logged;
  logged.batch = std::move(batch);
  logged.run.skill_name = std::move(skill);
  logged.run.metadata.model = std::move(model);
  logged.run.arm = arm;
  logged.run.assertions_passed = passed;
  logged.run.assertions_total = total;
  logged.run.stats.total_tokens = tokens;
  return logged;
}

constexpr EvalArm k_with = EvalArm::with_skill;
constexpr EvalArm k_base = EvalArm::baseline;

} // namespace

TEST_SUITE("batch_order") {
  TEST_CASE("is by minute, then by number, and other names are older") {
    std::vector<std::string> names{"2026_01_28_14_03_10",
                                   "2025_12_31_23_59",
                                   "2026_01_28_14_03",
                                   "mine",
                                   "2026_01_28_14_03_2",
                                   "2026_01_28_14_04",
                                   "2026_01_28_14_03_x",
                                   "2026-01-28_14_03",
                                   ""};
    std::ranges::sort(names, {}, [](const std::string& name) { return batch_order(name); });
    CHECK(std::vector<std::string>(names.end() - 5, names.end())
          == std::vector<std::string>{"2025_12_31_23_59",
                                      "2026_01_28_14_03",
                                      "2026_01_28_14_03_2",
                                      "2026_01_28_14_03_10",
                                      "2026_01_28_14_04"});
  }
}

TEST_SUITE("latest_runs") {
  TEST_CASE("is the mean of the newest batch, never the best of any") {
    std::vector<LoggedRun> runs{
        run_of("2026_01_01_10_00", "pdf", "haiku", k_with, 5, 5, 900),
        run_of("2026_01_01_10_00", "pdf", "haiku", k_base, 0, 5, 100),
        run_of("2026_01_02_10_00", "pdf", "haiku", k_with, 3, 5, 300),
        run_of("2026_01_02_10_00", "pdf", "haiku", k_with, 4, 5, 500),
        run_of("2026_01_02_10_00", "pdf", "haiku", k_base, 2, 5, 200),
    };
    // Whatever order the disk has them in.
    for (int turn = 0; turn < 5; ++turn) {
      std::ranges::rotate(runs, runs.begin() + 1);
      std::vector<RunsRow> rows = latest_runs(runs);
      REQUIRE(rows.size() == 1);
      CHECK(rows[0].batch == "2026_01_02_10_00");
      CHECK(rows[0].batches == 2);
      CHECK(rows[0].with_skill->rate == Approx(0.7));
      CHECK(rows[0].with_skill->tokens == Approx(400));
      CHECK(rows[0].with_skill->runs == 2);
      CHECK(rows[0].baseline->rate == Approx(0.4));
      CHECK(rows[0].lift == Approx(0.3));
    }
  }

  TEST_CASE("another batch lends no baseline") {
    std::vector<RunsRow> rows =
        latest_runs({run_of("2026_01_01_10_00", "pdf", "haiku", k_base, 2, 5),
                     run_of("2026_01_02_10_00", "pdf", "haiku", k_with, 4, 5)});
    REQUIRE(rows.size() == 1);
    CHECK_FALSE(rows[0].baseline);
    CHECK_FALSE(rows[0].lift);
  }

  TEST_CASE("each skill and model by its own newest batch, in order") {
    std::vector<RunsRow> rows =
        latest_runs({run_of("2026_01_02_10_00", "pdf", "opus", k_with, 1, 1),
                     run_of("2026_01_01_10_00", "pdf", "haiku", k_with, 1, 2),
                     run_of("2026_01_01_10_00", "csv", "haiku", k_with, 0, 2)});
    REQUIRE(rows.size() == 3);
    CHECK(rows[0].skill == "csv");
    CHECK(rows[1].model == "haiku");
    CHECK(rows[1].batch == "2026_01_01_10_00");
    CHECK(rows[2].model == "opus");
  }

  TEST_CASE("students of one model are not one") {
    std::vector<LoggedRun> runs{run_of("2026_01_02_10_00", "pdf", "haiku", k_with, 1, 1),
                                run_of("2026_01_02_10_00", "pdf", "haiku", k_with, 0, 1)};
    runs[0].run.student = "chat";
    runs[1].run.student = "agent";
    std::vector<RunsRow> rows = latest_runs(runs);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].student == "agent");
    CHECK(rows[0].with_skill->rate == Approx(0));
    CHECK(rows[1].with_skill->rate == Approx(1));
  }

  TEST_CASE("what is unknown is not 0") {
    std::vector<RunsRow> rows = latest_runs(
        {run_of("b", "", "haiku", {}, 3, 4, 0), run_of("b", "", "haiku", k_with, 0, 0, 7)});
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].unknown->rate == Approx(0.75));
    CHECK_FALSE(rows[0].unknown->tokens); // 0 is what upskill writes where nobody told
    CHECK_FALSE(rows[0].with_skill->rate);
    CHECK(rows[0].with_skill->tokens == Approx(7));
    CHECK_FALSE(rows[0].lift);
    CHECK(latest_runs({}).empty());
  }
}
