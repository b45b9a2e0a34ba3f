#include "skills/store/regression_store.h"

#include "skills/store/regression_columns.h"

#include <cmath>

// Spendings, tests under way, and what concerns all tables. Versions and verdicts have their own.
namespace upskill::store {
namespace {

constexpr std::int64_t k_minute_ms = 60'000;

// Of a SELECT of skill, minute, usd, tokens, runs.
Result<SpendingRow> spending_of(const Statement& row) {
  return SpendingRow{.time_ms = row.integer(1) * k_minute_ms,
                     .skill = std::string(row.text(0)),
                     .usd = row.real(2),
                     .tokens = row.integer(3),
                     .runs = row.integer(4)};
}

// Of a SELECT of skill, version, subject, started_ms, updated_ms.
Result<TestRow> test_of(const Statement& row) {
  TRY_ASSIGN(Digest version, digest_column(row, 1));
  return TestRow{.skill = std::string(row.text(0)),
                 .version = version,
                 .subject = std::string(row.text(2)),
                 .started_ms = row.integer(3),
                 .updated_ms = row.integer(4)};
}

// Before 1970, too.
std::int64_t minute_of(std::int64_t time_ms) {
  return time_ms / k_minute_ms - (time_ms % k_minute_ms < 0 ? 1 : 0);
}

} // namespace

Result<void> RegressionStore::check() {
  TRY_ASSIGN(Statement row,
             m_database.prepare(
                 "SELECT EXISTS (SELECT 1 FROM accepted_versions WHERE length(version) != 32"
                 "  OR (watch_file IS NOT NULL AND length(watch_file) != 32))"
                 " OR EXISTS (SELECT 1 FROM looks WHERE length(version) != 32)"
                 " OR EXISTS (SELECT 1 FROM versions_seen WHERE length(version) != 32)"
                 " OR EXISTS (SELECT 1 FROM verdicts WHERE length(accepted) != 32"
                 "  OR length(version) != 32 OR length(cases) != 32)"
                 " OR EXISTS (SELECT 1 FROM tests_under_way WHERE length(version) != 32)"));
  TRY(row.step());
  if (row.integer(0) != 0) {
    return fail(ErrorCode::corrupt, "evals.db names a version by what is no hash");
  }
  return {};
}

Result<void> RegressionStore::add_spending(const SpendingRow& row) {
  TRY(check_text("a skill's name", row.skill, k_max_regression_text));
  if (!std::isfinite(row.usd) || row.usd < 0 || row.tokens < 0 || row.runs < 0) {
    return fail(ErrorCode::invalid_argument, "what was spent cannot be less than nothing");
  }
  return m_database.run("INSERT INTO spendings (skill, minute, usd, tokens, runs)"
                        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (skill, minute) DO UPDATE SET"
                        " usd = usd + excluded.usd, tokens = tokens + excluded.tokens,"
                        " runs = runs + excluded.runs",
                        row.skill,
                        minute_of(row.time_ms),
                        Real{row.usd},
                        row.tokens,
                        row.runs);
}

Result<std::vector<SpendingRow>> RegressionStore::spendings(std::int64_t since_ms) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, minute, usd, tokens, runs FROM spendings"
                              " WHERE minute >= ? ORDER BY minute, skill",
                              minute_of(since_ms)));
  return rows_of(std::move(rows), spending_of);
}

Result<void> RegressionStore::put_test(const TestRow& row) {
  TRY(check_text("a skill's name", row.skill, k_max_regression_text));
  TRY(check_text("a test's subject", row.subject, k_max_regression_text));
  TRY(check_text("what a test has found", row.outcomes, k_max_test_outcomes));
  return m_database.run("INSERT INTO tests_under_way"
                        " (skill, version, subject, started_ms, updated_ms, bytes, outcomes)"
                        " VALUES (?, ?, ?, ?, ?, ?, ?)"
                        " ON CONFLICT (skill, version, subject) DO UPDATE SET"
                        " updated_ms = excluded.updated_ms, bytes = excluded.bytes,"
                        " outcomes = excluded.outcomes",
                        row.skill,
                        row.version,
                        row.subject,
                        row.started_ms,
                        row.updated_ms,
                        static_cast<std::int64_t>(row.outcomes.size()),
                        row.outcomes);
}

Result<std::optional<TestRow>> RegressionStore::find_test(std::string_view skill,
                                                          const Digest& version,
                                                          std::string_view subject) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, version, subject, started_ms, updated_ms, outcomes"
                              " FROM tests_under_way"
                              " WHERE skill = ? AND version = ? AND subject = ?",
                              skill,
                              version,
                              subject));
  TRY_ASSIGN(bool found, rows.step());
  if (!found) {
    return std::optional<TestRow>();
  }
  TRY_ASSIGN(TestRow row, test_of(rows));
  row.outcomes = rows.text(5);
  return std::optional(std::move(row));
}

Result<std::vector<TestRow>> RegressionStore::tests_under_way() {
  TRY_ASSIGN(Statement rows,
             m_database.prepare("SELECT skill, version, subject, started_ms, updated_ms"
                                " FROM tests_under_way ORDER BY id"));
  return rows_of(std::move(rows), test_of);
}

Result<bool> RegressionStore::remove_test(std::string_view skill,
                                          const Digest& version,
                                          std::string_view subject) {
  TRY(m_database.run("DELETE FROM tests_under_way"
                     " WHERE skill = ? AND version = ? AND subject = ?",
                     skill,
                     version,
                     subject));
  return m_database.changes() != 0;
}

Result<std::int64_t> RegressionStore::remove_tests(std::string_view skill) {
  TRY(m_database.run("DELETE FROM tests_under_way WHERE skill = ?", skill));
  return m_database.changes();
}

Result<std::int64_t> RegressionStore::purge(std::int64_t time_ms) {
  TRY_ASSIGN(Transaction transaction, m_database.begin());
  TRY_ASSIGN(std::int64_t removed, purge_accepted());
  TRY_ASSIGN(std::int64_t verdicts, purge_verdicts());
  // After those: what they were about is not told any more.
  TRY_ASSIGN(std::int64_t versions, purge_versions());
  TRY_ASSIGN(std::int64_t spent, purge_spendings(time_ms));
  TRY_ASSIGN(std::int64_t tests, purge_tests());
  TRY(transaction.commit());
  return removed + verdicts + versions + spent + tests;
}

Result<std::int64_t> RegressionStore::purge_tests() {
  TRY(m_database.run("DELETE FROM tests_under_way WHERE id IN (SELECT id FROM"
                     " (SELECT id, row_number() OVER place AS number, sum(bytes) OVER place AS size"
                     "  FROM tests_under_way WINDOW place AS"
                     "  (ORDER BY id DESC ROWS UNBOUNDED PRECEDING))"
                     " WHERE number > max(?, 1) OR (size > ? AND number > 1))",
                     m_bounds.tests,
                     m_bounds.test_bytes));
  return m_database.changes();
}

Result<std::int64_t> RegressionStore::purge_spendings(std::int64_t time_ms) {
  std::int64_t now = minute_of(time_ms);
  // A clock that was wrong must neither give a budget back nor hold it for a year.
  TRY(m_database.run("INSERT INTO spendings (skill, minute, usd, tokens, runs)"
                     " SELECT skill, ?1, sum(usd), sum(tokens), sum(runs) FROM spendings"
                     " WHERE minute > ?1 GROUP BY skill"
                     " ON CONFLICT (skill, minute) DO UPDATE SET"
                     " usd = usd + excluded.usd, tokens = tokens + excluded.tokens,"
                     " runs = runs + excluded.runs",
                     now));
  TRY(m_database.run("DELETE FROM spendings WHERE minute > ? OR minute < ?",
                     now,
                     minute_of(time_ms - k_spendings_kept_ms)));
  return m_database.changes();
}

} // namespace upskill::store
