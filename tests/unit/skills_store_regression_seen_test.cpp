#include "skills/store/regression_store.h"
#include "skills_store_folder.h"

#include <doctest/doctest.h>

#include <sqlite3.h>

#include <string>
#include <vector>

using namespace upskill;
using namespace upskill::store;
using store_test::Folder;

namespace {

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

VersionRow seen(std::string skill, int number, std::int64_t first_ms) {
  return {std::move(skill), version(number), first_ms, "{}"};
}

AcceptedRow accepted(std::string skill, int number, std::int64_t accepted_ms) {
  return {.skill = std::move(skill),
          .version = version(number),
          .accepted_ms = accepted_ms,
          .record = "{}"};
}

VerdictRow verdict(std::string skill, int against, int number) {
  return {.key = {.skill = std::move(skill),
                  .accepted = version(against),
                  .version = version(number),
                  .cases = sha256("cases"),
                  .model = "haiku",
                  .student = "chat",
                  .measure = "forced"},
          .verdict = "OK",
          .started_ms = 10,
          .finished_ms = 20,
          .record = "{}"};
}

std::vector<Digest> versions_of(const std::vector<VersionRow>& rows) {
  std::vector<Digest> versions;
  for (const VersionRow& row : rows) {
    versions.push_back(row.version);
  }
  return versions;
}

using Versions = std::vector<Digest>;

} // namespace

TEST_SUITE("RegressionStore, versions that were seen") {
  TEST_CASE("a version is kept as it was first seen, over a restart") {
    Folder folder;
    VersionRow first = seen("git", 1, 100);
    first.record = "{\"texts\": []}";
    {
      EvalStore evals = open(folder);
      RegressionStore store(evals);
      CHECK_FALSE(value_of(store.has_version("git", version(1))));
      CHECK(value_of(store.put_version(first)));
      CHECK_FALSE(value_of(store.put_version(seen("git", 1, 900))));
      CHECK(value_of(store.put_version(seen("pdf", 1, 200))));
    }
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    CHECK(value_of(store.has_version("git", version(1))));
    CHECK_FALSE(value_of(store.has_version("git", version(2))));
    CHECK(value_of(store.find_version("git", version(1))) == first);
    CHECK(value_of(store.find_version("pdf", version(1)))->first_ms == 200);
    CHECK(value_of(store.find_version("pdf", version(2))) == std::nullopt);
  }

  TEST_CASE("the newest is listed first, by when it was first seen") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    for (int i : {1, 2, 3}) {
      value_of(store.put_version(seen("git", i, 100))); // of one moment: as they came
    }
    value_of(store.put_version(seen("pdf", 9, 50)));
    CHECK(versions_of(value_of(store.list_versions("git", -1)))
          == Versions{version(3), version(2), version(1)});
    CHECK(versions_of(value_of(store.list_versions("git", 2))) == Versions{version(3), version(2)});
    CHECK(value_of(store.list_versions("", -1)).size() == 4);
    CHECK(value_of(store.list_versions("", -1)).back().skill == "pdf");
    CHECK(value_of(store.list_versions("git", 1))[0].record.empty());
    CHECK(value_of(store.list_versions("none", -1)).empty());
  }

  TEST_CASE("what was accepted or tested before is a version too, and each is there once") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    done(store.accept(accepted("git", 1, 5)));
    done(store.put_verdict(verdict("git", 1, 2))); // from 10 on
    done(store.put_verdict(verdict("git", 9, 2)));
    value_of(store.put_version(seen("git", 1, 700)));
    std::vector<VersionRow> rows = value_of(store.list_versions("git", -1));
    CHECK(versions_of(rows) == Versions{version(2), version(1)});
    CHECK(rows[1].first_ms == 5);
    CHECK(value_of(store.verdicts_of("git", version(2))).size() == 2);
    CHECK(value_of(store.verdicts_of("git", version(1))).empty());
    CHECK(value_of(store.verdicts_of("pdf", version(2))).empty());
  }

  TEST_CASE("too many versions: those that were neither accepted nor tested go first") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals, {.versions = 3});
    for (int i = 1; i <= 5; ++i) {
      value_of(store.put_version(seen("git", i, i)));
    }
    value_of(store.put_version(seen("pdf", 2, 6))); // 2 is tested, but of another skill
    done(store.accept(accepted("git", 1, 1)));
    done(store.put_verdict(verdict("git", 1, 2)));
    CHECK(value_of(store.purge(0)) == 3);
    CHECK(value_of(store.has_version("git", version(1))));
    CHECK(value_of(store.has_version("git", version(2))));
    CHECK(value_of(store.has_version("pdf", version(2))));
    RegressionStore smaller(evals, {.version_bytes = 3}); // of two bytes each one fits in
    CHECK(value_of(smaller.purge(0)) == 2);
    CHECK(value_of(store.has_version("git", version(2))));
  }

  TEST_CASE("what is too long is refused") {
    Folder folder;
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    VersionRow row = seen(std::string(k_max_regression_text + 1, 'x'), 1, 1);
    CHECK(store.put_version(row).error().code == ErrorCode::too_large);
    row = seen("git", 1, 1);
    row.record.assign(k_max_version_record + 1, 'x');
    CHECK(store.put_version(row).error().code == ErrorCode::too_large);
    CHECK(value_of(store.list_versions("", -1)).empty());
  }

  // Frozen: what version 2 wrote must be read for ever. Never change it, add the next one.
  TEST_CASE("an evals.db of version 2 keeps what is accepted and tested, and has a history") {
    Folder folder;
    run_raw(folder, R"sql(
CREATE TABLE answers (id INTEGER PRIMARY KEY, question BLOB NOT NULL, sample INTEGER NOT NULL,
  stored_ms INTEGER NOT NULL, used_ms INTEGER NOT NULL, bytes INTEGER NOT NULL,
  value TEXT NOT NULL, UNIQUE (question, sample)) STRICT;
CREATE INDEX answers_by_use ON answers (used_ms, bytes);
CREATE TABLE evaluations (id TEXT PRIMARY KEY, skill TEXT NOT NULL, skill_hash TEXT NOT NULL,
  started_ms INTEGER NOT NULL, finished_ms INTEGER, bytes INTEGER NOT NULL,
  result TEXT NOT NULL) STRICT;
CREATE TABLE accepted_versions (id INTEGER PRIMARY KEY AUTOINCREMENT, skill TEXT NOT NULL,
  version BLOB NOT NULL, watch_file BLOB, accepted_ms INTEGER NOT NULL, bytes INTEGER NOT NULL,
  record TEXT NOT NULL, UNIQUE (skill, version)) STRICT;
CREATE TABLE looks (accepted INTEGER NOT NULL REFERENCES accepted_versions (id) ON DELETE CASCADE,
  version BLOB NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (accepted, version))
  STRICT, WITHOUT ROWID;
CREATE TABLE verdicts (id INTEGER PRIMARY KEY AUTOINCREMENT, skill TEXT NOT NULL,
  accepted BLOB NOT NULL, version BLOB NOT NULL, cases BLOB NOT NULL, model TEXT NOT NULL,
  student TEXT NOT NULL, measure TEXT NOT NULL, verdict TEXT NOT NULL, started_ms INTEGER NOT NULL,
  finished_ms INTEGER NOT NULL, samples INTEGER NOT NULL, tokens INTEGER NOT NULL, cost REAL,
  bytes INTEGER NOT NULL, record TEXT NOT NULL,
  UNIQUE (skill, accepted, version, cases, model, student, measure)) STRICT;
CREATE INDEX verdicts_by_skill ON verdicts (skill, id);
CREATE TABLE spendings (skill TEXT NOT NULL, minute INTEGER NOT NULL,
  usd REAL NOT NULL CHECK (usd >= 0), tokens INTEGER NOT NULL CHECK (tokens >= 0),
  runs INTEGER NOT NULL CHECK (runs >= 0), PRIMARY KEY (skill, minute)) STRICT, WITHOUT ROWID;
CREATE TABLE tests_under_way (id INTEGER PRIMARY KEY AUTOINCREMENT, skill TEXT NOT NULL,
  version BLOB NOT NULL, subject TEXT NOT NULL, started_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL, bytes INTEGER NOT NULL, outcomes TEXT NOT NULL,
  UNIQUE (skill, version, subject)) STRICT;
INSERT INTO accepted_versions (skill, version, accepted_ms, bytes, record)
  VALUES ('git', zeroblob(32), 7, 2, '{}');
INSERT INTO verdicts (skill, accepted, version, cases, model, student, measure, verdict,
  started_ms, finished_ms, samples, tokens, bytes, record) VALUES ('git', zeroblob(32),
  randomblob(32), zeroblob(32), 'm', 'chat', 'forced', 'OK', 8, 9, 1, 2, 2, '{}');
PRAGMA user_version = 2;
)sql");
    EvalStore evals = open(folder);
    RegressionStore store(evals);
    CHECK(value_of(store.accepted("git"))->accepted_ms == 7);
    CHECK(value_of(store.history("git", -1)).size() == 1);
    std::vector<VersionRow> rows = value_of(store.list_versions("git", -1));
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].first_ms == 8);
    CHECK(rows[1].version == Digest{});
    CHECK(value_of(store.put_version(seen("git", 1, 10))));
    CHECK(value_of(store.find_version("git", version(1))) == seen("git", 1, 10));
  }
}
