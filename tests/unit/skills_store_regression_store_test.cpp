#include "skills/store/regression_store.h"
#include "skills_store_folder.h"

#include <doctest/doctest.h>

#include <sqlite3.h>

#include <limits>
#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::store;
using store_test::Folder;

namespace {

constexpr std::int64_t k_minute = 60'000;
constexpr std::int64_t k_day = 24 * 60 * k_minute;

EvalStore open(const Folder& folder) {
  auto store = EvalStore::open(folder / "evals.db");
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  return std::move(*store);
}

template <class T> T value_of(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
  return std::move(*result);
}

void done(Result<void> result) {
  REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
}

void run_raw(const Folder& folder, const char* sql) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open((folder / "evals.db").c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
}

Digest version(int number) {
  return sha256("version " + std::to_string(number));
}

AcceptedRow accepted(std::string skill, int number, std::int64_t accepted_ms = 1) {
  return {.skill = std::move(skill),
          .version = version(number),
          .accepted_ms = accepted_ms,
          .record = "{}"};
}

VerdictRow verdict(std::string skill, int against, int number, std::string model = "haiku") {
  return {.key = {.skill = std::move(skill),
                  .accepted = version(against),
                  .version = version(number),
                  .cases = sha256("cases"),
                  .model = std::move(model),
                  .student = "chat",
                  .measure = "forced"},
          .verdict = "OK",
          .started_ms = 10,
          .finished_ms = 20,
          .samples = 18,
          .tokens = 5000,
          .cost = 0.25,
          .record = "{}"};
}

TestRow under_way(std::string skill, int number, std::string subject) {
  return {.skill = std::move(skill),
          .version = version(number),
          .subject = std::move(subject),
          .started_ms = 5,
          .updated_ms = 5,
          .outcomes = "[]"};
}

std::vector<Digest> versions_of(const std::vector<AcceptedRow>& rows) {
  std::vector<Digest> versions;
  for (const AcceptedRow& row : rows) {
    versions.push_back(row.version);
  }
  return versions;
}

std::vector<Digest> versions_of(const std::vector<VerdictRow>& rows) {
  std::vector<Digest> versions;
  for (const VerdictRow& row : rows) {
    versions.push_back(row.key.version);
  }
  return versions;
}

using Versions = std::vector<Digest>;

} // namespace

TEST_SUITE("RegressionStore") {
  TEST_CASE("the accepted version of a skill is the one that was accepted last, over a restart") {
    Folder folder;
    AcceptedRow second = accepted("git", 2, 1); // of a clock that was set back
    second.watch_file = sha256("mode: ask");
    second.record = "{\"samples\": []}";
    {
      EvalStore evals = open(folder);
      RegressionStore store(evals);
      done(store.accept(accepted("git", 1, 100)));
      done(store.accept(accepted("pdf", 7, 100)));
      done(store.accept(second));
    }
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    CHECK(value_of(store.accepted("git")) == second);
    CHECK(value_of(store.accepted("pdf"))->version == version(7));
    CHECK(value_of(store.accepted("none")) == std::nullopt);
    CHECK(value_of(store.accepted_version("git", version(1)))->accepted_ms == 100);
    CHECK(value_of(store.accepted_version("git", version(7))) == std::nullopt);
    std::vector<AcceptedRow> listed = value_of(store.list_accepted("git", 9));
    CHECK(versions_of(listed) == Versions{version(2), version(1)});
    CHECK(listed[0].record.empty());
    CHECK(listed[0].watch_file == second.watch_file);
    CHECK_FALSE(listed[1].watch_file);
    CHECK(versions_of(value_of(store.list_accepted("git", 1))) == Versions{version(2)});
    CHECK(value_of(store.list_accepted("", -1)).size() == 3);
  }

  TEST_CASE("who accepts an earlier version goes back to it") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    done(store.accept(accepted("git", 1, 1)));
    done(store.accept(accepted("git", 2, 2)));
    AcceptedRow again = accepted("git", 1, 3);
    again.record = "{\"more\": 1}";
    done(store.accept(again));
    CHECK(value_of(store.accepted("git")) == again);
    CHECK(value_of(store.list_accepted("git", -1)).size() == 2);
  }

  TEST_CASE("looks are counted by distinct versions, since the acceptance") {
    Folder folder;
    {
      EvalStore evals = open(folder);
      RegressionStore store(evals);
      done(store.accept(accepted("git", 1)));
      done(store.accept(accepted("pdf", 1)));
      CHECK(value_of(store.next_look("git", version(1), version(2))) == 1);
      CHECK(value_of(store.next_look("git", version(1), version(3))) == 1);
      CHECK(value_of(store.look_number("git", version(1), version(2))) == 1);
      CHECK(value_of(store.next_look("git", version(1), version(2))) == 1);
      CHECK(value_of(store.next_look("git", version(1), version(3))) == 2);
      CHECK(value_of(store.look_number("git", version(1), version(3))) == 2);
      CHECK(store.next_look("git", version(9), version(3)).error().code == ErrorCode::not_found);
      CHECK(value_of(store.look_number("git", version(1), version(2))) == 1);
      CHECK(value_of(store.look_number("pdf", version(1), version(3))) == 1);
    }
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    CHECK(value_of(store.look_number("git", version(1), version(4))) == 3);
    CHECK(value_of(store.look_number("git", version(1), version(3))) == 2);
    CHECK(store.look_number("git", version(9), version(3)).error().code == ErrorCode::not_found);
    done(store.accept(accepted("git", 2)));
    CHECK(value_of(store.look_number("git", version(2), version(3))) == 1);
    CHECK(value_of(store.look_number("git", version(1), version(5))) == 4);
    done(store.accept(accepted("git", 1)));
    CHECK(value_of(store.look_number("git", version(1), version(5))) == 1);
    CHECK(value_of(store.look_number("pdf", version(1), version(3))) == 1);
  }

  TEST_CASE("old looks go, and no number comes back") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals, {.looks = 3});
    done(store.accept(accepted("git", 0)));
    for (int i = 1; i <= 5; ++i) {
      CHECK(value_of(store.look_number("git", version(0), version(i))) == i);
    }
    CHECK(value_of(store.purge(0)) == 2);
    CHECK(value_of(store.look_number("git", version(0), version(3))) == 3);
    CHECK(value_of(store.look_number("git", version(0), version(1))) == 6); // dearer, not cheaper
  }

  TEST_CASE("a verdict is kept by all of its key, and a newer one takes its place") {
    Folder folder;
    VerdictRow unknown_cost = verdict("git", 1, 2);
    unknown_cost.cost = std::nullopt;
    unknown_cost.verdict = "UNDECIDED";
    {
      EvalStore evals = open(folder);
      RegressionStore store(evals);
      done(store.put_verdict(unknown_cost));
    }
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    CHECK(value_of(store.find_verdict(unknown_cost.key)) == unknown_cost);
    auto is_absent = [&](auto&& change) {
      VerdictKey key = unknown_cost.key;
      change(key);
      CHECK(value_of(store.find_verdict(key)) == std::nullopt);
    };
    is_absent([](VerdictKey& key) { key.skill = "pdf"; });
    is_absent([](VerdictKey& key) { key.accepted = version(9); });
    is_absent([](VerdictKey& key) { key.version = version(9); });
    is_absent([](VerdictKey& key) { key.cases = version(9); });
    is_absent([](VerdictKey& key) { key.model = "opus"; });
    is_absent([](VerdictKey& key) { key.student = "agent"; });
    is_absent([](VerdictKey& key) { key.measure = "trigger"; });
    VerdictRow decided = verdict("git", 1, 2);
    decided.record = "{\"why\": 1}";
    done(store.put_verdict(decided));
    CHECK(value_of(store.find_verdict(decided.key)) == decided);
    CHECK(value_of(store.history("git", -1)).size() == 1);
  }

  TEST_CASE("the history of a skill, the last first") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    for (int i : {2, 3, 4}) {
      done(store.put_verdict(verdict("git", 1, i)));
    }
    done(store.put_verdict(verdict("pdf", 1, 5)));
    done(store.put_verdict(verdict("git", 1, 2))); // decided at last
    CHECK(versions_of(value_of(store.history("git", -1)))
          == Versions{version(2), version(4), version(3)});
    CHECK(versions_of(value_of(store.history("git", 2))) == Versions{version(2), version(4)});
    CHECK(versions_of(value_of(store.history("", 2))) == Versions{version(2), version(5)});
    CHECK(value_of(store.history("none", -1)).empty());
    CHECK(value_of(store.history("git", 1)) == std::vector{verdict("git", 1, 2)});
  }

  TEST_CASE("the verdicts of one version") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    done(store.put_verdict(verdict("git", 1, 2, "opus")));
    done(store.put_verdict(verdict("git", 1, 2, "haiku")));
    done(store.put_verdict(verdict("git", 1, 3)));
    done(store.put_verdict(verdict("git", 9, 2)));
    done(store.put_verdict(verdict("pdf", 1, 2)));
    std::vector<VerdictRow> rows = value_of(store.verdicts_of("git", version(1), version(2)));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].key.model == "opus");
    CHECK(rows[1].key.model == "haiku");
  }

  TEST_CASE("what was spent is added up by skill and minute") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    std::int64_t start = 100 * k_minute;
    done(store.add_spending({start + 1, "git", 0.25, 10, 1}));
    done(store.add_spending({start + k_minute - 1, "git", 0.5, 5, 2}));
    done(store.add_spending({start + k_minute, "git", 1, 7, 1}));
    done(store.add_spending({start, "pdf", 2, 3, 1}));
    SpendingRow first{start, "git", 0.75, 15, 3};
    SpendingRow other{start, "pdf", 2, 3, 1};
    SpendingRow second{start + k_minute, "git", 1, 7, 1};
    CHECK(value_of(store.spendings(0)) == std::vector{first, other, second});
    // The minute in which it was counts: too much rather than too little.
    CHECK(value_of(store.spendings(start + 59'999)) == std::vector{first, other, second});
    CHECK(value_of(store.spendings(start + k_minute)) == std::vector{second});
    CHECK(value_of(store.spendings(start + 2 * k_minute)).empty());
  }

  TEST_CASE("nobody earns by spending") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    double infinite = std::numeric_limits<double>::infinity();
    for (const SpendingRow& row : {SpendingRow{1, "git", -1, 0, 0},
                                   SpendingRow{1, "git", infinite, 0, 0},
                                   SpendingRow{1, "git", infinite - infinite, 0, 0},
                                   SpendingRow{1, "git", 0, -1, 0},
                                   SpendingRow{1, "git", 0, 0, -1}}) {
      CHECK(store.add_spending(row).error().code == ErrorCode::invalid_argument);
    }
    CHECK(value_of(store.spendings(0)).empty());
  }

  TEST_CASE("spendings go after two days, and what a wrong clock put into the future is now") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    std::int64_t now = 400 * k_day;
    done(store.add_spending({now - 2 * k_day - k_minute, "git", 1, 1, 1}));
    done(store.add_spending({now - 2 * k_day, "git", 2, 2, 2}));
    done(store.add_spending({now, "git", 4, 4, 4}));
    done(store.add_spending({now + k_minute, "git", 8, 8, 8}));
    done(store.add_spending({now + 300 * k_day, "git", 16, 16, 16}));
    done(store.add_spending({now + 300 * k_day, "pdf", 32, 32, 32}));
    CHECK(value_of(store.purge(now)) == 4);
    CHECK(value_of(store.spendings(0))
          == std::vector<SpendingRow>{{now - 2 * k_day, "git", 2, 2, 2},
                                      {now, "git", 28, 28, 28},
                                      {now, "pdf", 32, 32, 32}});
    CHECK(value_of(store.purge(now)) == 0);
  }

  TEST_CASE("tests under way are there after a restart, until they end") {
    Folder folder;
    TestRow first = under_way("git", 2, "haiku chat forced");
    TestRow second = under_way("git", 2, "haiku chat trigger");
    TestRow other = under_way("pdf", 2, "haiku chat forced");
    {
      EvalStore evals = open(folder);
      RegressionStore store(evals);
      for (const TestRow& row : {first, second, other}) {
        done(store.put_test(row));
      }
      first.updated_ms = 9;
      first.started_ms = 9;
      first.outcomes = "[1, 0]";
      done(store.put_test(first));
      first.started_ms = 5; // it began once
    }
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    CHECK(value_of(store.find_test("git", version(2), "haiku chat forced")) == first);
    CHECK(value_of(store.find_test("git", version(3), "haiku chat forced")) == std::nullopt);
    for (TestRow* row : {&first, &second, &other}) {
      row->outcomes.clear(); // which a list leaves out
    }
    CHECK(value_of(store.tests_under_way()) == std::vector{first, second, other});
    CHECK(value_of(store.remove_test("git", version(2), "haiku chat trigger")));
    CHECK_FALSE(value_of(store.remove_test("git", version(2), "haiku chat trigger")));
    CHECK_FALSE(value_of(store.remove_test("git", version(3), "haiku chat forced")));
    done(store.put_test(under_way("git", 3, "haiku chat forced")));
    CHECK(value_of(store.remove_tests("git")) == 2);
    CHECK(value_of(store.tests_under_way()) == std::vector{other});
  }

  TEST_CASE("too many accepted versions: what is not held against any more goes first") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals, {.accepted = 3});
    done(store.accept(accepted("old", 1)));
    for (int i = 1; i <= 4; ++i) {
      done(store.accept(accepted("git", i)));
    }
    CHECK(value_of(store.look_number("git", version(1), version(9))) == 1);
    CHECK(value_of(store.purge(0)) == 2);
    CHECK(value_of(store.accepted("old"))->version == version(1));
    CHECK(versions_of(value_of(store.list_accepted("git", -1)))
          == Versions{version(4), version(3)});
    CHECK(store.look_number("git", version(1), version(9)).error().code == ErrorCode::not_found);
    RegressionStore smaller(evals, {.accepted_bytes = 3});
    CHECK(value_of(smaller.purge(0)) == 2); // of two bytes each one fits in, and the newest stays
    CHECK(value_of(smaller.accepted("git"))->version == version(4));
    CHECK(value_of(smaller.accepted("old")) == std::nullopt);
  }

  TEST_CASE("too many verdicts: those of earlier accepted versions go first, then the oldest") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals, {.verdicts = 3});
    done(store.accept(accepted("git", 1)));
    done(store.accept(accepted("git", 2)));
    for (int i : {11, 12}) {
      done(store.put_verdict(verdict("git", 2, i)));
    }
    for (int i : {13, 14}) {
      done(store.put_verdict(verdict("git", 1, i)));
    }
    CHECK(value_of(store.purge(0)) == 1);
    CHECK(versions_of(value_of(store.history("git", -1)))
          == Versions{version(14), version(12), version(11)});
    done(store.put_verdict(verdict("git", 2, 15)));
    done(store.put_verdict(verdict("git", 2, 16)));
    CHECK(value_of(store.purge(0)) == 2);
    CHECK(versions_of(value_of(store.history("git", -1)))
          == Versions{version(16), version(15), version(12)});
    RegressionStore smaller(evals, {.verdict_bytes = 4});
    CHECK(value_of(smaller.purge(0)) == 1);
    CHECK(value_of(smaller.history("git", -1)).size() == 2);
  }

  TEST_CASE("too many tests under way: those that began first go") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals, {.tests = 2});
    for (int i = 1; i <= 3; ++i) {
      done(store.put_test(under_way("git", i, "s")));
    }
    CHECK(value_of(store.purge(0)) == 1);
    CHECK(value_of(store.find_test("git", version(1), "s")) == std::nullopt);
    CHECK(value_of(store.find_test("git", version(2), "s")) == under_way("git", 2, "s"));
    RegressionStore smaller(evals, {.test_bytes = 3});
    CHECK(value_of(smaller.purge(0)) == 1); // of two bytes each one fits in
    CHECK(value_of(store.find_test("git", version(3), "s")) == under_way("git", 3, "s"));
  }

  TEST_CASE("what is too long is refused") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    auto is_too_large = [](const Result<void>& result) {
      REQUIRE_FALSE(result);
      CHECK(result.error().code == ErrorCode::too_large);
    };
    std::string name(k_max_regression_text + 1, 'x');
    AcceptedRow row = accepted("git", 1);
    row.record.assign(k_max_accepted_record + 1, 'x');
    is_too_large(store.accept(row));
    is_too_large(store.accept(accepted(name, 1)));
    VerdictRow found = verdict("git", 1, 2);
    found.record.assign(k_max_verdict_record + 1, 'x');
    is_too_large(store.put_verdict(found));
    is_too_large(store.put_verdict(verdict("git", 1, 2, name)));
    TestRow large = under_way("git", 1, "s");
    large.outcomes.assign(k_max_test_outcomes + 1, 'x');
    is_too_large(store.put_test(large));
    is_too_large(store.put_test(under_way("git", 1, name)));
    is_too_large(store.add_spending({1, name, 1, 1, 1}));
    CHECK(value_of(store.list_accepted("", -1)).empty());
    CHECK(value_of(store.history("", -1)).empty());
    CHECK(value_of(store.tests_under_way()).empty());
  }

  TEST_CASE("a batch that was rolled back leaves nothing") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    {
      Transaction transaction = value_of(evals.begin());
      done(store.accept(accepted("git", 1)));
      done(store.put_verdict(verdict("git", 1, 2)));
      value_of(store.purge(0));
    }
    CHECK(value_of(store.list_accepted("", -1)).empty());
    CHECK(value_of(store.history("", -1)).empty());
  }

  TEST_CASE("a row whose hash is none is damage that shows at the opening") {
    for (const char* sql : {"UPDATE accepted_versions SET version = x'00'",
                            "UPDATE accepted_versions SET watch_file = x'00'",
                            "UPDATE looks SET version = x'FF'",
                            "UPDATE verdicts SET cases = x''",
                            "UPDATE verdicts SET accepted = x'01'",
                            "UPDATE versions_seen SET version = x'01'",
                            "UPDATE tests_under_way SET version = x'01'"}) {
      CAPTURE(sql);
      Folder folder;
      {
        EvalStore evals = open(folder);
        RegressionStore store(evals);
        done(store.accept(accepted("git", 1)));
        value_of(store.look_number("git", version(1), version(2)));
        done(store.put_verdict(verdict("git", 1, 2)));
        value_of(store.put_version({"git", version(2), 1, "{}"}));
        done(store.put_test(under_way("git", 2, "s")));
      }
      run_raw(folder, sql);
      auto opened = EvalStore::open(folder / "evals.db");
      REQUIRE_FALSE(opened);
      CHECK(opened.error().code == ErrorCode::corrupt);
    }
  }

  // Frozen: what version 1 wrote must be read for ever. Never change it, add the next one.
  TEST_CASE("an evals.db of version 1 keeps its answers and evaluations") {
    Folder folder;
    run_raw(folder, R"sql(
CREATE TABLE answers (id INTEGER PRIMARY KEY, question BLOB NOT NULL, sample INTEGER NOT NULL,
  stored_ms INTEGER NOT NULL, used_ms INTEGER NOT NULL, bytes INTEGER NOT NULL,
  value TEXT NOT NULL, UNIQUE (question, sample)) STRICT;
CREATE INDEX answers_by_use ON answers (used_ms, bytes);
CREATE TABLE evaluations (id TEXT PRIMARY KEY, skill TEXT NOT NULL, skill_hash TEXT NOT NULL,
  started_ms INTEGER NOT NULL, finished_ms INTEGER, bytes INTEGER NOT NULL,
  result TEXT NOT NULL) STRICT;
INSERT INTO answers (question, sample, stored_ms, used_ms, bytes, value)
  VALUES (zeroblob(32), 1, 7, 8, 3, 'one');
INSERT INTO evaluations VALUES ('e1', 'git', 'abc', 1, 2, 2, '{}');
PRAGMA user_version = 1;
)sql");
    EvalStore evals = open(folder);
    CHECK(value_of(evals.find_answer(Digest{}, 1, 9))->value == "one");
    CHECK(value_of(evals.find_evaluation("e1"))->skill == "git");
    RegressionStore store(evals);
    CHECK(value_of(store.accepted("git")) == std::nullopt);
    done(store.accept(accepted("git", 1)));
    CHECK(value_of(store.accepted("git"))->version == version(1));
  }
}
