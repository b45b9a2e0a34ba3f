#include "daemon/evals/run_logger.h"
#include "daemon/evals/run_reader.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>
#include <future>
#include <set>
#include <vector>

using namespace upskill;
using namespace upskill::evals;
using doctest::Approx;
using tests::file_text;
using tests::put_file;
using tests::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

const BatchTime k_time{2026, 1, 28, 14, 3, 1'769'605'391'000};

EvalResult result_of(int runs = 2) {
  EvalResult result;
  result.skill = "pdf";
  result.hash = "abc";
  result.cases = 3;
  result.runs = runs;
  for (const char* name : {"haiku", "opus"}) {
    EvalModelReport& model = result.models.emplace_back();
    model.model = name;
    model.student = "chat";
    model.baseline = EvalArmReport{};
    for (std::int64_t run = 1; run <= runs; ++run) {
      for (EvalArm arm : {EvalArm::baseline, EvalArm::with_skill}) {
        for (int i = 0; i < 3; ++i) {
          EvalSample& sample = model.samples.emplace_back();
          sample.case_id = std::to_string(i + 1);
          sample.arm = arm;
          sample.run = run;
          sample.output = "an answer";
          sample.outcome =
              i == 0 || arm == EvalArm::with_skill ? SampleOutcome::passed : SampleOutcome::failed;
          sample.tokens.total = arm == EvalArm::with_skill ? 20 : 10;
        }
      }
    }
  }
  return result;
}

std::string written(const std::string& runs_dir, const EvalResult& result = result_of()) {
  Result<std::string> folder = write_batch(runs_dir, result, k_time, "def");
  if (!folder) {
    FAIL(folder.error().message);
  }
  return *folder;
}

LoggedRuns read(const std::string& folder, std::size_t limit = k_max_logged_runs) {
  Result<LoggedRuns> logged = read_runs(folder, {}, limit);
  if (!logged) {
    FAIL(logged.error().message);
  }
  return std::move(*logged);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("write_batch") {
  TEST_CASE("has upskill's folders and files, and reads back") {
    TemporaryFolder folder;
    std::string runs = folder / "deep/runs";
    CHECK(written(runs) == runs + "/2026_01_28_14_03");
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(runs + "/2026_01_28_14_03")) {
      names.insert(entry.path().filename());
    }
    CHECK(names
          == std::set<std::string>{"run_1",
                                   "run_2",
                                   "run_3",
                                   "run_4",
                                   "run_5",
                                   "run_6",
                                   "run_7",
                                   "run_8",
                                   "results.csv",
                                   "batch_summary.json",
                                   "evaluation.json"});
    std::string metadata = file_text(runs + "/2026_01_28_14_03/run_5/run_metadata.json");
    CHECK(has(metadata, "\"model\": \"opus\""));
    CHECK(has(metadata, "\"run_number\": 5"));
    CHECK(has(metadata, "\"timestamp\": \"2026-01-28T13:03:11.000Z\""));
    std::string summary = file_text(runs + "/2026_01_28_14_03/batch_summary.json");
    CHECK(has(summary, "\"model\": \"haiku, opus\""));
    CHECK(has(summary, "\"total_runs\": 8"));
    CHECK(has(summary, "\"passed_runs\": 4"));
    CHECK(has(file_text(runs + "/2026_01_28_14_03/evaluation.json"), "\"output\":\"an answer\""));

    LoggedRuns logged = read(runs);
    CHECK(logged.warnings.empty());
    REQUIRE(logged.runs.size() == 8);
    std::vector<RunsRow> rows = eval::latest_runs(logged.runs);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].with_skill->rate == Approx(1));
    CHECK(rows[0].baseline->rate == Approx(1.0 / 3));
    CHECK(rows[0].with_skill->tokens == Approx(60));
    CHECK(rows[0].baseline->runs == 2);
  }

  TEST_CASE("batches of one minute never share a folder") {
    TemporaryFolder folder;
    put_file(folder / "2026_01_28_14_03_3", "a file of somebody's");
    fs::create_symlink(folder / "elsewhere", folder / "2026_01_28_14_03_4");
    CHECK(fs::path(written(folder.path())).filename() == "2026_01_28_14_03");
    std::string before = file_text(folder / "2026_01_28_14_03/run_1/run_result.json");
    CHECK(fs::path(written(folder.path())).filename() == "2026_01_28_14_03_2");
    CHECK(fs::path(written(folder.path())).filename() == "2026_01_28_14_03_5");
    CHECK(file_text(folder / "2026_01_28_14_03/run_1/run_result.json") == before);
    CHECK(has(file_text(folder / "2026_01_28_14_03_2/run_1/run_result.json"),
              "\"batch_id\": \"2026_01_28_14_03_2\""));
    CHECK(file_text(folder / "2026_01_28_14_03_3") == "a file of somebody's");
    CHECK_FALSE(fs::exists(folder / "elsewhere"));
  }

  TEST_CASE("not even when they are written at once") {
    TemporaryFolder folder;
    EvalResult result = result_of(1);
    std::vector<std::future<Result<std::string>>> writers;
    for (int i = 0; i < 8; ++i) {
      writers.push_back(std::async(std::launch::async,
                                   [&] { return write_batch(folder.path(), result, k_time); }));
    }
    std::set<std::string> folders;
    for (auto& writer : writers) {
      Result<std::string> one = writer.get();
      REQUIRE(one);
      folders.insert(*one);
    }
    CHECK(folders.size() == 8);
    CHECK(read(folder.path()).runs.size() == 32);
  }

  TEST_CASE("modes are what the umask leaves") {
    TemporaryFolder folder;
    mode_t mask = ::umask(0027);
    std::string batch = written(folder / "runs");
    ::umask(mask);
    CHECK(tests::mode_of(folder / "runs") == 0750);
    CHECK(tests::mode_of(batch) == 0750);
    CHECK(tests::mode_of(batch + "/run_1") == 0750);
    CHECK(tests::mode_of(batch + "/run_1/run_result.json") == 0640);
    CHECK(tests::mode_of(batch + "/results.csv") == 0640);
  }

  TEST_CASE("answers of any size make a file that can be read") {
    TemporaryFolder folder;
    EvalResult result = result_of(20);
    for (EvalModelReport& model : result.models) {
      for (EvalSample& sample : model.samples) {
        sample.output = std::string(1u << 20, 'x');
      }
    }
    std::string file = written(folder.path(), result) + "/evaluation.json";
    CHECK(fs::file_size(file) < (40u << 20));
    CHECK(has(file_text(file).substr(fs::file_size(file) - 1000), "are left out of this file"));
  }

  TEST_CASE("what cannot be written is an error with its name") {
    TemporaryFolder folder;
    put_file(folder / "runs", "");
    Result<std::string> batch = write_batch(folder / "runs", result_of(), k_time);
    REQUIRE_FALSE(batch);
    CHECK(has(batch.error().message, folder / "runs"));
  }

  TEST_CASE("the folder's name is of the local clock") {
    BatchTime epoch = BatchTime::local(0);
    CHECK((epoch.year == 1970 || epoch.year == 1969));
    CHECK(epoch.unix_ms == 0);
    CHECK(BatchTime::local(1'769'605'391'000).minute % 15 == 3); // zones are quarters of an hour
  }
}

TEST_SUITE("read_runs") {
  TEST_CASE("reads upskill's own") {
    LoggedRuns logged = read(UPSKILL_FIXTURES "/upskill-runs");
    CHECK(logged.warnings.empty());
    CHECK(logged.runs.size() == 7);
    std::vector<RunsRow> rows = eval::latest_runs(logged.runs);
    REQUIRE(rows.size() == 4);
    // Those of the early benchmark say neither skill nor arm.
    CHECK(rows[0].skill.empty());
    CHECK(rows[0].model == "haiku");
    CHECK(rows[0].unknown->rate == Approx(0.9));
    CHECK(rows[0].unknown->tokens == Approx(6650));
    CHECK(rows[1].model == "sonnet");
    CHECK(rows[1].unknown->incomplete == 1);
    CHECK_FALSE(rows[1].unknown->tokens);
    CHECK(rows[2].skill == "kernel-builder-cuda-kernels");
    CHECK(rows[2].batch == "2026_05_26_09_12");
    CHECK(rows[2].with_skill->rate == Approx(0.8)); // the mean; upskill shows the best, 1.0
    CHECK_FALSE(rows[2].baseline);
    CHECK(rows[3].baseline->rate == Approx(0.6));
    CHECK(rows[3].with_skill->rate == Approx(1));
    CHECK(rows[3].baseline->tokens == Approx(8300));
    CHECK(rows[3].time == "2026-01-28T14:05:42.118204");
  }

  TEST_CASE("the newest first, and no more than the bound") {
    TemporaryFolder folder;
    written(folder.path());
    written(folder.path());
    LoggedRuns logged = read(folder.path(), 10);
    REQUIRE(logged.runs.size() == 10);
    CHECK(logged.left_out == 6);
    CHECK(logged.runs.front().batch == "2026_01_28_14_03_2");
    CHECK(logged.runs.back().batch == "2026_01_28_14_03");
  }

  TEST_CASE("what cannot be read is named, and the rest is read") {
    TemporaryFolder folder;
    std::string batch = written(folder.path(), result_of(1));
    std::string secret = folder / "secret";
    put_file(secret, R"({"passed": true, "skill_name": "secret"})");
    put_file(batch + "/run_1/run_result.json", "{not JSON");
    put_file(batch + "/run_2/run_result.json", std::string((1u << 20) + 1, ' '));
    fs::remove(batch + "/run_3/run_result.json");
    fs::create_symlink(secret, batch + "/run_3/run_result.json");
    fs::remove(batch + "/run_4/run_result.json");
    REQUIRE(::mkfifo((batch + "/run_4/run_result.json").c_str(), 0600) == 0);
    fs::create_directories(batch + "/run_5");
    put_file(batch + "/run_6", "a file");
    fs::create_directories(folder / "outside/run_1");
    fs::create_symlink(folder / "outside", batch + "/run_7");
    fs::create_symlink(folder / "outside", folder / "2026_01_28_14_09");
    fs::create_directories(batch + "/run_08");
    fs::create_directories(batch + "/run_-9");
    fs::create_directories(batch + "/run_99999999999999999999");
    LoggedRuns logged = read(folder.path());
    CHECK(logged.runs.empty());
    REQUIRE(logged.warnings.size() == 8);
    std::vector<std::string> why{"is no JSON object",
                                 "bytes",
                                 "is a link",
                                 "not a regular file",
                                 "is not there",
                                 "is no folder",
                                 "is no folder"};
    for (std::size_t i = 0; i < why.size(); ++i) {
      CHECK(has(logged.warnings[i], "`2026_01_28_14_03/run_" + std::to_string(i + 1) + "`"));
      CHECK(has(logged.warnings[i], why[i]));
    }
    CHECK(has(logged.warnings[7], "`outside/run_1`"));
  }

  TEST_CASE("warnings have a bound") {
    TemporaryFolder folder;
    for (int i = 1; i <= 30; ++i) {
      fs::create_directories(folder / "2026_01_28_14_03/run_" + std::to_string(i));
    }
    LoggedRuns logged = read(folder.path());
    REQUIRE(logged.warnings.size() == 21);
    CHECK(logged.warnings.back() == "10 more runs could not be read");
  }

  TEST_CASE("a folder that is not there is an error, an empty one is not") {
    TemporaryFolder folder;
    CHECK(read(folder.path()).runs.empty());
    Result<LoggedRuns> missing = read_runs(folder / "nowhere");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == ErrorCode::not_found);
  }
}
