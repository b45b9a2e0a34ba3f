#pragma once
#include "daemon/sync/listed.h"
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "protocol/types/eval_history.h"
#include "skills/store/eval_store.h"
#include "skills/store/regression_rows.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What evals.db has of versions, as people are told it.
namespace upskill::daemon {

struct VersionRows {
  SkillKey skill = {};
  Digest version = {};
  std::int64_t first_ms = 0;      // Unix time; 0: it was never seen before
  bool is_accepted = false;       // the last one that was
  bool is_only_evaluated = false; // nobody watched it, and where it lies is not known
  std::optional<store::AcceptedRow> accepted = {};
  std::vector<store::VerdictRow> verdicts = {};       // in the order in which they were put
  std::vector<store::EvaluationRow> evaluations = {}; // newest first
};

// Puts what was evaluated to the versions that are known, or makes one of it; newest first after
// that. What did not finish, and what has no hash, is none.
void add_evaluations(std::vector<VersionRows>& versions,
                     const std::vector<store::EvaluationRow>& evaluations);

// A record that cannot be read any more says nothing.
HistoryVersion told_of(const VersionRows& rows);

// The version whose hash begins so. Errors: invalid_argument where those are not at least 4
// hexadecimal digits, or where several do, with some of them; not_found.
Result<Digest> version_called(const std::string& digits, const std::vector<Digest>& known);

} // namespace upskill::daemon
