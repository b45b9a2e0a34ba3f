#include "skills/store/regression_columns.h"

namespace upskill::store {
namespace {

// Of a SELECT of skill, accepted, version, cases, model, student, measure, verdict, started_ms,
// finished_ms, samples, tokens, cost, record.
Result<VerdictRow> verdict_of(const Statement& row) {
  TRY_ASSIGN(Digest accepted, digest_column(row, 1));
  TRY_ASSIGN(Digest version, digest_column(row, 2));
  TRY_ASSIGN(Digest cases, digest_column(row, 3));
  return VerdictRow{.key = {.skill = std::string(row.text(0)),
                            .accepted = accepted,
                            .version = version,
                            .cases = cases,
                            .model = std::string(row.text(4)),
                            .student = std::string(row.text(5)),
                            .measure = std::string(row.text(6))},
                    .verdict = std::string(row.text(7)),
                    .started_ms = row.integer(8),
                    .finished_ms = row.integer(9),
                    .samples = row.integer(10),
                    .tokens = row.integer(11),
                    .cost = row.is_null(12) ? std::nullopt : std::optional(row.real(12)),
                    .record = std::string(row.text(13))};
}

Result<void> check_texts(const VerdictRow& row) {
  TRY(check_text("a skill's name", row.key.skill, k_max_regression_text));
  TRY(check_text("a model's name", row.key.model, k_max_regression_text));
  TRY(check_text("a student's name", row.key.student, k_max_regression_text));
  TRY(check_text("a measure", row.key.measure, k_max_regression_text));
  TRY(check_text("a verdict", row.verdict, k_max_regression_text));
  return check_text("the record of a verdict", row.record, k_max_verdict_record);
}

} // namespace

Result<void> RegressionStore::put_verdict(const VerdictRow& row) {
  TRY(check_texts(row));
  // REPLACE gives it another id: it is the last in the history.
  return m_database.run("INSERT OR REPLACE INTO verdicts (skill, accepted, version, cases, model,"
                        " student, measure, verdict, started_ms, finished_ms, samples, tokens,"
                        " cost, bytes, record)"
                        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                        row.key.skill,
                        row.key.accepted,
                        row.key.version,
                        row.key.cases,
                        row.key.model,
                        row.key.student,
                        row.key.measure,
                        row.verdict,
                        row.started_ms,
                        row.finished_ms,
                        row.samples,
                        row.tokens,
                        row.cost ? std::optional(Real{*row.cost}) : std::nullopt,
                        static_cast<std::int64_t>(row.record.size()),
                        row.record);
}

Result<std::optional<VerdictRow>> RegressionStore::find_verdict(const VerdictKey& key) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, accepted, version, cases, model, student, measure,"
                              " verdict, started_ms, finished_ms, samples, tokens, cost, record"
                              " FROM verdicts WHERE skill = ? AND accepted = ? AND version = ?"
                              " AND cases = ? AND model = ? AND student = ? AND measure = ?",
                              key.skill,
                              key.accepted,
                              key.version,
                              key.cases,
                              key.model,
                              key.student,
                              key.measure));
  TRY_ASSIGN(bool found, rows.step());
  if (!found) {
    return std::optional<VerdictRow>();
  }
  TRY_ASSIGN(VerdictRow row, verdict_of(rows));
  return std::optional(std::move(row));
}

Result<std::vector<VerdictRow>> RegressionStore::verdicts_of(std::string_view skill,
                                                             const Digest& accepted,
                                                             const Digest& version) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, accepted, version, cases, model, student, measure,"
                              " verdict, started_ms, finished_ms, samples, tokens, cost, record"
                              " FROM verdicts WHERE skill = ? AND accepted = ? AND version = ?"
                              " ORDER BY id",
                              skill,
                              accepted,
                              version));
  return rows_of(std::move(rows), verdict_of);
}

Result<std::vector<VerdictRow>> RegressionStore::verdicts_of(std::string_view skill,
                                                             const Digest& version) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, accepted, version, cases, model, student, measure,"
                              " verdict, started_ms, finished_ms, samples, tokens, cost, record"
                              " FROM verdicts WHERE skill = ? AND version = ? ORDER BY id",
                              skill,
                              version));
  return rows_of(std::move(rows), verdict_of);
}

Result<std::vector<VerdictRow>> RegressionStore::history(std::string_view skill,
                                                         std::int64_t limit) {
  if (skill.empty()) {
    TRY_ASSIGN(Statement rows,
               m_database.query("SELECT skill, accepted, version, cases, model, student, measure,"
                                " verdict, started_ms, finished_ms, samples, tokens, cost, record"
                                " FROM verdicts ORDER BY id DESC LIMIT ?",
                                limit));
    return rows_of(std::move(rows), verdict_of);
  }
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, accepted, version, cases, model, student, measure,"
                              " verdict, started_ms, finished_ms, samples, tokens, cost, record"
                              " FROM verdicts WHERE skill = ? ORDER BY id DESC LIMIT ?",
                              skill,
                              limit));
  return rows_of(std::move(rows), verdict_of);
}

Result<std::int64_t> RegressionStore::purge_verdicts() {
  // What was found against another version than a skill is held against now goes first.
  TRY(m_database.run("DELETE FROM verdicts WHERE id IN (SELECT id FROM"
                     " (SELECT id, row_number() OVER place AS number, sum(bytes) OVER place AS size"
                     "  FROM (SELECT id, bytes, accepted = (SELECT version FROM accepted_versions"
                     "    WHERE skill = verdicts.skill ORDER BY id DESC LIMIT 1) AS present"
                     "   FROM verdicts) WINDOW place AS"
                     "  (ORDER BY coalesce(present, 0) DESC, id DESC ROWS UNBOUNDED PRECEDING))"
                     " WHERE number > max(?, 1) OR (size > ? AND number > 1))",
                     m_bounds.verdicts,
                     m_bounds.verdict_bytes));
  return m_database.changes();
}

} // namespace upskill::store
