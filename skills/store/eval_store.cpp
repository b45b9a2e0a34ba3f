#include "skills/store/eval_store.h"

#include "skills/store/regression_schema.h"
#include "skills/store/regression_store.h"

#include <array>
#include <span>

namespace upskill::store {
namespace {

// Values come last, so that whoever wants none of them reads none. The index holds all that is
// asked when there are too many answers: it would be 256 MiB to read otherwise. Once released, a
// migration is never edited: a change is one more.
std::span<const Migration> eval_migrations() {
  static constexpr std::array k_migrations{Migration(R"sql(
CREATE TABLE answers (
  id INTEGER PRIMARY KEY,
  question BLOB NOT NULL,
  sample INTEGER NOT NULL,
  stored_ms INTEGER NOT NULL,
  used_ms INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  value TEXT NOT NULL,
  UNIQUE (question, sample)
) STRICT;
CREATE INDEX answers_by_use ON answers (used_ms, bytes);
CREATE TABLE evaluations (
  id TEXT PRIMARY KEY,
  skill TEXT NOT NULL,
  skill_hash TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  finished_ms INTEGER,
  bytes INTEGER NOT NULL,
  result TEXT NOT NULL
) STRICT;
)sql"),
                                           k_regression_schema,
                                           k_versions_schema};
  return k_migrations;
}

// Of a SELECT of id, skill, skill_hash, started_ms, finished_ms.
EvaluationRow head_of(const Statement& row) {
  return {.id = std::string(row.text(0)),
          .skill = std::string(row.text(1)),
          .skill_hash = std::string(row.text(2)),
          .started_ms = row.integer(3),
          .finished_ms = row.is_null(4) ? std::nullopt : std::optional(row.integer(4))};
}

// Of one that goes on with the result.
Result<std::optional<EvaluationRow>> first_of(Statement rows) {
  TRY_ASSIGN(bool found, rows.step());
  if (!found) {
    return std::optional<EvaluationRow>();
  }
  EvaluationRow row = head_of(rows);
  row.result = rows.text(5);
  return std::optional(std::move(row));
}

Result<void> check_size(std::string_view what, std::size_t size, std::size_t most) {
  if (size > most) {
    return fail(ErrorCode::too_large,
                std::string(what) + " of " + std::to_string(size)
                    + " bytes is too long to be kept, the most is " + std::to_string(most));
  }
  return {};
}

} // namespace

Result<EvalStore> EvalStore::open(const std::string& path, EvalStoreBounds bounds) {
  TRY_ASSIGN(Database database, Database::open(path, eval_migrations(), Durability::crash));
  EvalStore store(std::move(database), bounds);
  TRY(store.count_answers());
  TRY(store.list_evaluations({}, -1));
  TRY(RegressionStore(store).check());
  return store;
}

Result<void> EvalStore::count_answers() {
  TRY_ASSIGN(Statement sums,
             m_database.prepare("SELECT count(*), coalesce(sum(bytes), 0)"
                                " FROM answers INDEXED BY answers_by_use"));
  TRY(sums.step());
  m_answers = sums.integer(0);
  m_answer_bytes = sums.integer(1);
  return {};
}

Result<std::optional<AnswerRow>>
EvalStore::find_answer(const Digest& question, std::uint32_t sample, std::int64_t time_ms) {
  std::int64_t id = 0;
  AnswerRow answer;
  {
    TRY_ASSIGN(Statement row,
               m_database.query("SELECT id, stored_ms, used_ms, value FROM answers"
                                " WHERE question = ? AND sample = ?",
                                question,
                                std::int64_t{sample}));
    TRY_ASSIGN(bool found, row.step());
    if (!found) {
      return std::optional<AnswerRow>();
    }
    id = row.integer(0);
    answer = {
        .value = std::string(row.text(3)), .stored_ms = row.integer(1), .used_ms = row.integer(2)};
  }
  if (time_ms - answer.used_ms > k_used_step_ms) {
    TRY(m_database.run("UPDATE answers SET used_ms = ? WHERE id = ?", time_ms, id));
    answer.used_ms = time_ms;
  }
  return std::optional(std::move(answer));
}

Result<bool> EvalStore::add_answer(const Digest& question,
                                   std::uint32_t sample,
                                   std::string_view value,
                                   std::int64_t time_ms) {
  TRY(check_size("an answer", value.size(), k_max_answer_value));
  TRY(m_database.run("INSERT INTO answers (question, sample, stored_ms, used_ms, bytes, value)"
                     " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (question, sample) DO NOTHING",
                     question,
                     std::int64_t{sample},
                     time_ms,
                     time_ms,
                     static_cast<std::int64_t>(value.size()),
                     value));
  bool is_new = m_database.changes() != 0;
  if (is_new) {
    ++m_answers;
    m_answer_bytes += static_cast<std::int64_t>(value.size());
  }
  return is_new;
}

Result<void> EvalStore::replace_answer(const Digest& question,
                                       std::uint32_t sample,
                                       std::string_view value,
                                       std::int64_t time_ms) {
  TRY_ASSIGN(bool is_new, add_answer(question, sample, value, time_ms));
  if (is_new) {
    return {};
  }
  TRY(m_database.run("UPDATE answers SET stored_ms = ?, used_ms = ?, bytes = ?, value = ?"
                     " WHERE question = ? AND sample = ?",
                     time_ms,
                     time_ms,
                     static_cast<std::int64_t>(value.size()),
                     value,
                     question,
                     std::int64_t{sample}));
  // At least as much as there is now: purge_answers() counts before it removes anything.
  m_answer_bytes += static_cast<std::int64_t>(value.size());
  return {};
}

Result<std::int64_t> EvalStore::purge_answers() {
  auto is_over = [&] {
    return m_answers > m_bounds.answers || m_answer_bytes > m_bounds.answer_bytes;
  };
  if (!is_over()) {
    return std::int64_t{0};
  }
  TRY(count_answers()); // after a rollback, and a replacement, there are fewer
  if (!is_over()) {
    return std::int64_t{0};
  }
  std::int64_t rows_over = m_answers - (m_bounds.answers - m_bounds.answers / 10);
  std::int64_t bytes_over = m_answer_bytes - (m_bounds.answer_bytes - m_bounds.answer_bytes / 10);
  // The running sum is of those before, so that the one that makes it enough goes along.
  TRY(m_database.run("DELETE FROM answers WHERE id IN (SELECT id FROM"
                     " (SELECT id, row_number() OVER place AS number,"
                     "  sum(bytes) OVER place - bytes AS before FROM answers"
                     "  WINDOW place AS (ORDER BY used_ms, bytes, id ROWS UNBOUNDED PRECEDING))"
                     " WHERE number <= ? OR before < ?)",
                     rows_over,
                     bytes_over));
  std::int64_t removed = m_database.changes();
  TRY(count_answers());
  return removed;
}

Result<void> EvalStore::put_evaluation(const EvaluationRow& row) {
  TRY(check_size("an evaluation", row.result.size(), k_max_evaluation_result));
  return m_database.run("INSERT OR REPLACE INTO evaluations"
                        " (id, skill, skill_hash, started_ms, finished_ms, bytes, result)"
                        " VALUES (?, ?, ?, ?, ?, ?, ?)",
                        row.id,
                        row.skill,
                        row.skill_hash,
                        row.started_ms,
                        row.finished_ms,
                        static_cast<std::int64_t>(row.result.size()),
                        row.result);
}

Result<std::optional<EvaluationRow>> EvalStore::find_evaluation(std::string_view id) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, skill, skill_hash, started_ms, finished_ms, result"
                              " FROM evaluations WHERE id = ?",
                              id));
  return first_of(std::move(rows));
}

Result<std::optional<EvaluationRow>> EvalStore::newest_evaluation(std::string_view skill) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, skill, skill_hash, started_ms, finished_ms, result"
                              " FROM evaluations WHERE id = (SELECT id FROM evaluations"
                              " WHERE (?1 = '' OR skill = ?1) AND finished_ms IS NOT NULL"
                              " ORDER BY started_ms DESC, id DESC LIMIT 1)",
                              skill));
  return first_of(std::move(rows));
}

Result<std::vector<EvaluationRow>> EvalStore::list_evaluations(std::string_view skill,
                                                               std::int64_t limit) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, skill, skill_hash, started_ms, finished_ms"
                              " FROM evaluations WHERE ?1 = '' OR skill = ?1"
                              " ORDER BY started_ms DESC, id DESC LIMIT ?2",
                              skill,
                              limit));
  std::vector<EvaluationRow> evaluations;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return evaluations;
    }
    evaluations.push_back(head_of(rows));
  }
}

Result<std::int64_t> EvalStore::purge_evaluations() {
  TRY(m_database.run("DELETE FROM evaluations WHERE id IN (SELECT id FROM"
                     " (SELECT id, row_number() OVER place AS number, sum(bytes) OVER place AS size"
                     "  FROM evaluations WINDOW place AS"
                     "  (ORDER BY started_ms DESC, id DESC ROWS UNBOUNDED PRECEDING))"
                     " WHERE number > max(?, 1) OR (size > ? AND number > 1))",
                     m_bounds.evaluations,
                     m_bounds.evaluation_bytes));
  return m_database.changes();
}

} // namespace upskill::store
