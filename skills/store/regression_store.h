#pragma once
#include "skills/store/eval_store.h"
#include "skills/store/regression_rows.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace upskill::store {

// How much is kept. Of what is over it goes first what the present is not held against.
struct RegressionBounds {
  std::int64_t accepted = 10'000; // versions
  std::int64_t accepted_bytes = 256ll << 20;
  std::int64_t looks = 10'000;    // of one accepted version
  std::int64_t versions = 10'000; // that were looked at
  std::int64_t version_bytes = 256ll << 20;
  std::int64_t verdicts = 50'000;
  std::int64_t verdict_bytes = 64ll << 20;
  std::int64_t tests = 1000; // under way
  std::int64_t test_bytes = 256ll << 20;
};

inline constexpr std::size_t k_max_accepted_record = 16u << 20; // bytes of one
inline constexpr std::size_t k_max_version_record = 16u << 20;  // likewise
inline constexpr std::size_t k_max_verdict_record = 256u << 10; // likewise
inline constexpr std::size_t k_max_test_outcomes = 4u << 20;    // likewise
inline constexpr std::size_t k_max_regression_text = 4096; // bytes of a key, a model, a verdict
inline constexpr std::int64_t k_spendings_kept_ms = 48ll * 3600 * 1000;

// What watching skills knows, in evals.db: a view of an EvalStore, which must stay where it is and
// live longer. The only SQL on its tables is in regression_store*.cpp. Used by the EvalStore's
// thread. Errors of all: what SQLite says, corrupt for a row that cannot be read; of what puts
// something, too_large.
class RegressionStore {
public:
  explicit RegressionStore(EvalStore& store, RegressionBounds bounds = {})
      : m_database(store.m_database)
      , m_bounds(bounds) {}

  // corrupt where a hash is none: what else a row may hold, its table sees to. EvalStore::open()
  // asks, while a damaged database can still be put aside.
  Result<void> check();

  // The version is the accepted one from now on. One that was accepted before is so anew: its looks
  // begin at 1 again.
  Result<void> accept(const AcceptedRow& row);
  // The one that was accepted last.
  Result<std::optional<AcceptedRow>> accepted(std::string_view skill);
  Result<std::optional<AcceptedRow>> accepted_version(std::string_view skill,
                                                      const Digest& version);
  // The last first, at most `limit`; of all skills where `skill` is empty. Without records.
  Result<std::vector<AcceptedRow>> list_accepted(std::string_view skill, std::int64_t limit);

  // Which distinct version this is, from 1, of those that were held against the accepted one since
  // its acceptance: the same for ever for the same version. not_found where that was not accepted.
  Result<std::int64_t>
  look_number(std::string_view skill, const Digest& accepted, const Digest& version);

  // False where there is one already, which stays.
  Result<bool> put_version(const VersionRow& row);
  Result<bool> has_version(std::string_view skill, const Digest& version);
  Result<std::optional<VersionRow>> find_version(std::string_view skill, const Digest& version);
  // Every version that was looked at, accepted or tested, the one last first seen first, at most
  // `limit`; of all skills where `skill` is empty. Without records.
  Result<std::vector<VersionRow>> list_versions(std::string_view skill, std::int64_t limit);

  // The number that look_number() would give it, which is not given by that.
  Result<std::int64_t>
  next_look(std::string_view skill, const Digest& accepted, const Digest& version);

  // New, or in place of the one with this key.
  Result<void> put_verdict(const VerdictRow& row);
  Result<std::optional<VerdictRow>> find_verdict(const VerdictKey& key);
  // Of a version, in the order in which they were put.
  Result<std::vector<VerdictRow>>
  verdicts_of(std::string_view skill, const Digest& accepted, const Digest& version);
  // Against whatever it was held, in the same order.
  Result<std::vector<VerdictRow>> verdicts_of(std::string_view skill, const Digest& version);
  // Those that were put last first, at most `limit`; of all skills where `skill` is empty.
  Result<std::vector<VerdictRow>> history(std::string_view skill, std::int64_t limit);

  // Adds to what was spent in that minute. A negative number is invalid_argument.
  Result<void> add_spending(const SpendingRow& row);
  // All since then, oldest first, with all of the minute in which that was.
  Result<std::vector<SpendingRow>> spendings(std::int64_t since_ms);

  // New, or in place of the one of this skill, version and subject, whose start stays.
  Result<void> put_test(const TestRow& row);
  Result<std::optional<TestRow>>
  find_test(std::string_view skill, const Digest& version, std::string_view subject);
  // All, in the order in which they began. Without outcomes.
  Result<std::vector<TestRow>> tests_under_way();
  // Its end: false where there was none.
  Result<bool> remove_test(std::string_view skill, const Digest& version, std::string_view subject);
  // All of a skill: another version took their place, or it is gone. Their number.
  Result<std::int64_t> remove_tests(std::string_view skill);

  // Removes what is over the bounds, and spendings that are too old. What seems to be spent in the
  // future, because a clock was set back, is spent now. The number of rows that are gone.
  Result<std::int64_t> purge(std::int64_t time_ms);

private:
  Result<std::int64_t> purge_accepted();
  Result<std::int64_t> purge_versions();
  Result<std::int64_t> purge_verdicts();
  Result<std::int64_t> purge_spendings(std::int64_t time_ms);
  Result<std::int64_t> purge_tests();

  Database& m_database;
  RegressionBounds m_bounds;
};

} // namespace upskill::store
