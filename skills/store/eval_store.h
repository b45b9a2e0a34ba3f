#pragma once
#include "protocol/base/hash.h"
#include "skills/store/database.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::store {

// One answer of a model. The value belongs to the caller, who alone reads it.
struct AnswerRow {
  std::string value = {};
  std::int64_t stored_ms = 0; // Unix time, as all here
  std::int64_t used_ms = 0;   // as last written down: up to a day old

  friend bool operator==(const AnswerRow&, const AnswerRow&) = default;
};

// One evaluation. `result` is JSON, which the caller alone reads.
struct EvaluationRow {
  std::string id = {};
  std::string skill = {};
  std::string skill_hash = {};
  std::int64_t started_ms = 0;
  std::optional<std::int64_t> finished_ms = {}; // none: it runs, or was cut off
  std::string result = {};

  friend bool operator==(const EvaluationRow&, const EvaluationRow&) = default;
};

// How much is kept. What is over it goes, the longest unused or the oldest first.
struct EvalStoreBounds {
  std::int64_t answers = 200'000;
  std::int64_t answer_bytes = 256ll << 20;
  std::int64_t evaluations = 1000;
  std::int64_t evaluation_bytes = 256ll << 20;
};

inline constexpr std::size_t k_max_answer_value = 16u << 20;      // bytes of one value
inline constexpr std::size_t k_max_evaluation_result = 64u << 20; // bytes of one result
inline constexpr std::int64_t k_used_step_ms = 24ll * 3600 * 1000;

// evals.db: what models have answered, and evaluations. What is committed outlives our being
// killed, and not a power failure: that costs the price of the last answers, while an fsync for
// each batch would slow down every evaluation. The only SQL on it is in eval_store.cpp, and in
// regression_store*.cpp on the tables of RegressionStore. Used by one thread at a time, as its
// Database.
class EvalStore {
public:
  // Errors as of Database::open; corrupt too where a row cannot be read.
  static Result<EvalStore> open(const std::string& path, EvalStoreBounds bounds = {});

  Result<Transaction> begin() { return m_database.begin(); }

  // The answer to a question's sample. Writes only where it was last used more than k_used_step_ms
  // ago, so that reading costs no writes.
  Result<std::optional<AnswerRow>>
  find_answer(const Digest& question, std::uint32_t sample, std::int64_t time_ms);
  // False where there is one already, which stays. too_large: over k_max_answer_value.
  Result<bool> add_answer(const Digest& question,
                          std::uint32_t sample,
                          std::string_view value,
                          std::int64_t time_ms);
  // In place of the one that there may be.
  Result<void> replace_answer(const Digest& question,
                              std::uint32_t sample,
                              std::string_view value,
                              std::int64_t time_ms);
  // Removes the longest unused while there are too many; a tenth more, so that it is seldom needed.
  // Their number.
  Result<std::int64_t> purge_answers();

  std::int64_t answers() const { return m_answers; }

  std::int64_t answer_bytes() const { return m_answer_bytes; }

  // New, or in place of the one of this id. too_large: over k_max_evaluation_result.
  Result<void> put_evaluation(const EvaluationRow& row);
  Result<std::optional<EvaluationRow>> find_evaluation(std::string_view id);
  // Of this skill, or of all when it is empty. Only those that have finished.
  Result<std::optional<EvaluationRow>> newest_evaluation(std::string_view skill);
  // Newest first, at most `limit`; without results, which may be large.
  Result<std::vector<EvaluationRow>> list_evaluations(std::string_view skill, std::int64_t limit);
  // The oldest go; the newest stays, however large. Their number.
  Result<std::int64_t> purge_evaluations();

private:
  friend class RegressionStore; // its tables are in the same database

  EvalStore(Database database, EvalStoreBounds bounds)
      : m_database(std::move(database))
      , m_bounds(bounds) {}

  // What there is by the database: a transaction that was rolled back leaves no trace here.
  Result<void> count_answers();

  Database m_database;
  EvalStoreBounds m_bounds;
  std::int64_t m_answers = 0;
  std::int64_t m_answer_bytes = 0;
};

} // namespace upskill::store
