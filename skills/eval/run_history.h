#pragma once
#include "protocol/types/runs.h"
#include "skills/eval/run_log.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::eval {

// When a batch was, by its folder's name `YYYY_MM_DD_HH_MM` or, of the second and later ones in
// a minute, `YYYY_MM_DD_HH_MM_N`. Any other name is older than all of those, and by its letters.
struct BatchOrder {
  std::string minute = {}; // empty for another name
  std::int64_t number = 1;
  std::string name = {};

  friend auto operator<=>(const BatchOrder&, const BatchOrder&) = default;
};

BatchOrder batch_order(std::string_view folder);

// A run and the folder of its batch, which counts whatever its metadata say.
struct LoggedRun {
  std::string batch = {};
  RunResult run = {};
};

// One row for each skill, model and student that have runs, by their names: what the newest batch
// with runs of them says. The rate of an arm is the mean over its runs, never the best of them; a
// run without an outcome has none. 0 tokens are unknown, because no model answers without.
std::vector<RunsRow> latest_runs(const std::vector<LoggedRun>& runs);

} // namespace upskill::eval
