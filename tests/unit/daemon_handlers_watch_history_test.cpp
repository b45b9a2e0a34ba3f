#include "daemon/handlers/watch_history_record.h"
#include "daemon/handlers/watch_history_rows.h"
#include "protocol/codec/codec.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace upskill;
using namespace upskill::daemon;

namespace {

Digest version(int number) {
  return sha256("version " + std::to_string(number));
}

void put(VersionRecord& record, std::string path, std::string text, bool executable = false) {
  record.files.push_back({path, sha256(text).hex(), executable});
  record.texts.push_back({std::move(path), std::move(text)});
}

store::VerdictRow verdict(int against, std::string model, WatchVerdict found, double rate) {
  WatchedSubject told;
  told.model = model;
  told.student = "chat";
  told.verdict = found;
  told.reason = found == WatchVerdict::ok ? WatchReason::held : WatchReason::dropped;
  told.why = "because";
  told.accepted_rate = 0.75;
  told.rate = EvalShare{rate, 0, 1};
  store::VerdictRow row;
  row.key = {"pdf", version(against), version(9), Digest{}, std::move(model), "chat", "forced"};
  row.finished_ms = 5000;
  row.samples = 12;
  row.tokens = 700;
  row.cost = 0.5;
  row.record = encode(told);
  return row;
}

store::EvaluationRow evaluation(std::string id, Digest hash, std::int64_t started_ms) {
  store::EvaluationRow row;
  row.id = std::move(id);
  row.skill = "pdf";
  row.skill_hash = hash.hex();
  row.started_ms = started_ms;
  row.finished_ms = started_ms + 10;
  return row;
}

EvalResult result_of(std::string model, double rate, double baseline) {
  EvalResult result;
  result.skill = "pdf";
  EvalModelReport& report = result.models.emplace_back();
  report.model = std::move(model);
  report.student = "chat";
  report.with_skill.samples = 30;
  report.with_skill.rate = rate;
  report.with_skill.low = rate - 0.25;
  report.with_skill.high = rate + 0.25;
  report.baseline = EvalArmReport{};
  report.baseline->rate = baseline;
  report.lift = EvalLift{rate - baseline, 0, 1};
  return result;
}

void write(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

} // namespace

TEST_SUITE("watch_history") {
  TEST_CASE("a version is told with its tests against the one that it was held against last") {
    VersionRows rows{{"/work", "pdf"}, version(9), 1000};
    rows.verdicts = {verdict(1, "opus", WatchVerdict::regressed, 0.25),
                     verdict(2, "haiku", WatchVerdict::regressed, 0.5), // of other cases, before
                     verdict(2, "sonnet", WatchVerdict::ok, 1),
                     verdict(2, "haiku", WatchVerdict::ok, 0.5)};
    HistoryVersion told = told_of(rows);
    CHECK(told.skill == "pdf");
    CHECK(told.project == "/work");
    CHECK(told.hash == version(9).hex());
    CHECK(told.against == version(2).hex());
    CHECK(told.verdict == WatchVerdict::ok);
    CHECK(told.first_seen == "1970-01-01T00:00:01.000Z");
    CHECK(told.last_tested == "1970-01-01T00:00:05.000Z");
    REQUIRE(told.subjects.size() == 2);
    CHECK(told.subjects[0].model == "haiku");
    CHECK(told.subjects[0].change == -0.25);
    CHECK(told.subjects[0].tokens == 700);
    CHECK(told.subjects[0].cost == 0.5);
    CHECK(told.subjects[1].model == "sonnet");
    rows.verdicts.back() = verdict(2, "haiku", WatchVerdict::regressed, 0.5);
    CHECK(told_of(rows).verdict == WatchVerdict::regressed);
  }

  TEST_CASE("an accepted version is told with its samples, and without a verdict") {
    AcceptedRecord record;
    record.document = "text";
    record.subjects.push_back(
        {"haiku", "chat", WatchMeasure::forced, {{"a", "111"}, {"b", "000"}}});
    VersionRows rows{{"", "pdf"}, version(9), 0};
    rows.is_accepted = true;
    rows.accepted = store::AcceptedRow{"pdf", version(9), {}, 2000, write_record(record)};
    HistoryVersion told = told_of(rows);
    CHECK(told.is_accepted);
    CHECK(told.accepted_at == "1970-01-01T00:00:02.000Z");
    CHECK(told.first_seen.empty());
    CHECK_FALSE(told.verdict);
    REQUIRE(told.subjects.size() == 1);
    CHECK(told.subjects[0].source == HistorySource::accept);
    CHECK(told.subjects[0].rate->value == 0.5);
    CHECK(told.subjects[0].samples == 6);
  }

  TEST_CASE("the newest evaluation by each model counts, and none that is about something else") {
    VersionRows rows{{"", "pdf"}, version(9), 1000};
    EvalResult against = result_of("opus", 0.5, 0.25);
    against.against = "v1";
    EvalResult several = result_of("gemini", 0.5, 0.25);
    several.combinations.emplace_back();
    for (const EvalResult& result :
         {result_of("haiku", 0.5, 0.25), result_of("haiku", 1, 0.25), against, several}) {
      rows.evaluations.push_back(evaluation("e", version(9), 7000));
      rows.evaluations.back().result = encode(result);
    }
    rows.evaluations.push_back(evaluation("e", version(9), 1));
    rows.evaluations.back().result = "{\"of\": \"another version\"}";
    HistoryVersion told = told_of(rows);
    REQUIRE(told.subjects.size() == 2);
    CHECK(told.subjects[0].model == "haiku");
    CHECK(told.subjects[0].source == HistorySource::eval);
    CHECK(told.subjects[0].rate->value == 0.5);
    CHECK(told.subjects[0].baseline == 0.25);
    CHECK(told.subjects[0].lift->value == 0.25);
    CHECK(told.subjects[1].model == "opus");
    CHECK_FALSE(told.subjects[1].lift);
    CHECK(told.last_tested == "1970-01-01T00:00:07.010Z");
  }

  TEST_CASE("what was evaluated belongs to its version, or is one of its own") {
    std::vector<VersionRows> versions(2);
    versions[0] = {{"", "pdf"}, version(2), 20};
    versions[1] = {{"/work", "pdf"}, version(1), 10};
    store::EvaluationRow unfinished = evaluation("e4", version(4), 40);
    unfinished.finished_ms.reset();
    store::EvaluationRow nameless = evaluation("e5", version(5), 50);
    nameless.skill_hash = "abc";
    add_evaluations(versions,
                    {nameless,
                     unfinished,
                     evaluation("e3", version(3), 30),
                     evaluation("e2", version(3), 15),
                     evaluation("e1", version(1), 12)});
    REQUIRE(versions.size() == 3);
    CHECK(versions[0].version == version(2)); // of 20
    CHECK(versions[1].version == version(3)); // first seen at 15
    CHECK(versions[1].is_only_evaluated);
    CHECK(versions[1].evaluations.size() == 2);
    CHECK(versions[2].version == version(1));
    CHECK_FALSE(versions[2].is_only_evaluated);
    CHECK(versions[2].evaluations.size() == 1);
  }

  TEST_CASE("the first digits of a hash name a version, where only one has them") {
    Digest one = *Digest::from_hex("abcd1" + std::string(59, '0'));
    Digest other = *Digest::from_hex("abcd2" + std::string(59, '0'));
    std::vector<Digest> known{one, other, one};
    CHECK(version_called("abcd1", known) == one);
    CHECK(version_called(other.hex(), known) == other);
    Error ambiguous = version_called("abcd", known).error();
    CHECK(ambiguous.code == ErrorCode::invalid_argument);
    CHECK(ambiguous.message == "2 versions begin with `abcd`: `abcd10000000`, `abcd20000000`");
    CHECK(version_called("abc", known).error().code == ErrorCode::invalid_argument);
    CHECK(version_called("", known).error().code == ErrorCode::invalid_argument);
    CHECK(version_called("abcx", known).error().code == ErrorCode::invalid_argument);
    CHECK(version_called("abcd%", known).error().code == ErrorCode::invalid_argument);
    CHECK(version_called("ffff", known).error().code == ErrorCode::not_found);
    CHECK(version_called(one.hex() + "0", known).error().code == ErrorCode::not_found);
  }

  TEST_CASE("the difference of two versions, SKILL.md first") {
    VersionRecord before;
    put(before, "SKILL.md", "one\n");
    put(before, "a.txt", "same\n");
    put(before, "gone.txt", "gone\n");
    put(before, "run.sh", "run\n");
    before.files.push_back({"x.bin", sha256("x").hex(), false});
    before.left_out.push_back({"x.bin", "it is no text"});
    VersionRecord after;
    put(after, "SKILL.md", "two\n");
    put(after, "a.txt", "same\n");
    put(after, "new.txt", "new\n");
    put(after, "run.sh", "run\n", true);
    put(after, "x.bin", "text now\n");
    RecordDiff diff = diff_records(before, after);
    REQUIRE(diff.files.size() == 5);
    CHECK(diff.files[0].path == "SKILL.md");
    CHECK(diff.files[0].what == "changed");
    CHECK(diff.files[0].diff == "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1 +1 @@\n-one\n+two\n");
    CHECK(diff.files[1].path == "gone.txt");
    CHECK(diff.files[1].what == "removed");
    CHECK(diff.files[1].diff == "--- a/gone.txt\n+++ b/gone.txt\n@@ -1 +0,0 @@\n-gone\n");
    CHECK(diff.files[2].what == "added");
    CHECK(diff.files[3].what == "changed, now executable");
    CHECK(diff.files[3].diff.empty());
    CHECK(diff.files[4].what == "changed; its text is not kept: it is no text");
    CHECK(diff.more == 0);
    CHECK(diff_records(before, before).files.empty());
  }

  TEST_CASE("a difference of a thousand files is bounded, and says how many are left out") {
    VersionRecord before;
    VersionRecord after;
    for (int i = 0; i < 1000; ++i) {
      put(before, "f" + std::to_string(i), "a\n");
      put(after, "f" + std::to_string(i), std::string(20'000, 'b') + "\n");
    }
    RecordDiff diff = diff_records(before, after);
    std::size_t bytes = 0;
    for (const HistoryFile& file : diff.files) {
      bytes += file.diff.size();
    }
    CHECK(bytes <= (512u << 10));
    CHECK(diff.files.size() < 200);
    CHECK(diff.files.size() + static_cast<std::size_t>(diff.more) == 1000);
  }

  TEST_CASE("a folder is kept with its texts, and what is left out is told") {
    tests::TemporaryFolder folder;
    std::filesystem::path skill = std::filesystem::path(folder.path()) / "pdf";
    write(skill / "SKILL.md", "---\nname: pdf\ndescription: d\n---\n");
    write(skill / ".git" / "config", "secret");
    write(skill / "scripts" / "__pycache__" / "x.pyc", "cache");
    write(skill / "a.bin", std::string_view("a\0b", 3));
    write(skill / "b.txt", std::string(k_max_kept_file + 1, 'x'));
    for (int i = 0; i < 8; ++i) { // with SKILL.md more than there is room for
      write(skill / ("full" + std::to_string(i)), std::string(k_max_kept_file, 'y'));
    }
    std::filesystem::create_symlink("a.bin", skill / "link");
    SkillPlace place{"pdf", skill.string(), folder.path()};
    Result<FolderVersion> now = read_folder_version(place);
    REQUIRE(now);
    Result<VersionRecord> record = read_version_record(write_record(now->record));
    REQUIRE(record);
    CHECK(record->files.size() == 12);
    REQUIRE(record->texts.size() == 8);
    CHECK(record->texts[0].path == "SKILL.md");
    REQUIRE(record->left_out.size() == 4);
    CHECK(record->left_out[0].path == "a.bin");
    CHECK(record->left_out[0].why == "it is no text");
    CHECK(record->left_out[1].why == "it has more than 256 KiB");
    CHECK(record->left_out[2].path == "full7");
    CHECK(record->left_out[3].why == "it is a link to `a.bin`");
    CHECK(read_version_record("{").error().code == ErrorCode::corrupt);
    CHECK(read_version_record("{\"files\": 3}").error().code == ErrorCode::corrupt);
  }

  TEST_CASE(
      "of a version that was accepted before there was a history, SKILL.md and cases are known") {
    AcceptedRecord accepted;
    accepted.document = "one\n";
    accepted.files = {{"SKILL.md", sha256("one\n").hex()},
                      {"evals/evals.json", sha256("{}").hex()},
                      {"scripts/a.py", sha256("a").hex()}};
    accepted.tests = {{"evals/evals.json", "{}"}};
    VersionRecord after;
    put(after, "SKILL.md", "two\n");
    put(after, "scripts/a.py", "b");
    RecordDiff diff = diff_records(version_record_of(accepted), after);
    REQUIRE(diff.files.size() == 3);
    CHECK(diff.files[0].diff.find("-one\n+two\n") != std::string::npos);
    CHECK(diff.files[1].what == "removed");
    CHECK_FALSE(diff.files[1].diff.empty());
    CHECK(diff.files[2].what
          == "changed; its text is not kept: it was accepted before texts were kept");
  }
}
