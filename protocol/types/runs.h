#pragma once
#include "protocol/types/describe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill {

enum class RunsMetric { success, tokens };

template <> struct EnumNames<RunsMetric> {
  static constexpr std::array<std::string_view, 2> names{"success", "tokens"};
};

struct RunsParams {
  std::string dir = {};
  std::vector<std::string> skill = {};
  std::vector<std::string> model = {};
  RunsMetric metric = RunsMetric::success;
  std::string csv = {};

  static void describe(auto& f) {
    f.optional(&RunsParams::dir, "dir", "Folder of run logs; the configuration's, or `./runs`.");
    f.optional(&RunsParams::skill, "skill", "Only runs of this skill.");
    f.optional(&RunsParams::model, "model", "Only runs of this model.");
    f.optional(&RunsParams::metric, "metric", "What is shown: `success`, or `tokens`.");
    f.optional(&RunsParams::csv, "csv", "File to write all of these runs to, as a table.");
  }
};

// The runs of one arm in one batch.
struct RunsArm {
  std::int64_t runs = 0;
  std::optional<double> rate = {};
  std::optional<double> tokens = {};
  std::int64_t incomplete = 0;

  static void describe(auto& f) {
    f.required(&RunsArm::runs, "runs", "How many there are.");
    f.optional(&RunsArm::rate, "rate", "Mean of their shares of passes.");
    f.optional(&RunsArm::tokens, "tokens", "Mean of their tokens; of those that tell.");
    f.optional(&RunsArm::incomplete, "incomplete", "Runs with cases that have no outcome.");
  }
};

// One skill with one model and student, by the newest batch that has runs of them.
struct RunsRow {
  std::string skill = {};
  std::string model = {};
  std::string student = {};
  std::string batch = {};
  std::string time = {};
  std::optional<RunsArm> with_skill = {};
  std::optional<RunsArm> baseline = {};
  std::optional<RunsArm> unknown = {};
  std::optional<double> lift = {};
  std::string against = {};
  std::int64_t batches = 0;

  static void describe(auto& f) {
    f.required(&RunsRow::skill, "skill", "The skill's name; empty where the logs do not tell.");
    f.required(&RunsRow::model, "model", "As it was named.");
    f.optional(&RunsRow::student, "student", "Who used the model; upskill's logs do not tell.");
    f.required(&RunsRow::batch, "batch", "Folder of the newest batch.");
    f.optional(&RunsRow::time, "time", "When it was, as the log has it.");
    f.optional(&RunsRow::with_skill, "with_skill", "With the skill.");
    f.optional(&RunsRow::baseline, "baseline", "Without it.");
    f.optional(&RunsRow::unknown, "unknown", "Runs that do not tell which of the two they are.");
    f.optional(&RunsRow::lift, "lift", "Rate with the skill minus without.");
    f.optional(&RunsRow::against, "against", "What the baseline had, where not nothing.");
    f.required(&RunsRow::batches, "batches", "How many batches have runs of these.");
  }
};

struct RunsResult {
  std::string dir = {};
  std::string config = {};
  std::vector<RunsRow> rows = {};
  std::int64_t runs = 0;
  std::int64_t left_out = 0;
  std::string csv = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&RunsResult::dir, "dir", "Folder that was looked at.");
    f.optional(&RunsResult::config, "config", "Where the configuration is from.");
    f.required(&RunsResult::rows, "rows", "By skill, model and student.");
    f.required(&RunsResult::runs, "runs", "How many runs were read.");
    f.optional(&RunsResult::left_out, "left_out", "Older runs that were not read.");
    f.optional(&RunsResult::csv, "csv", "File that was written.");
    f.optional(&RunsResult::warnings, "warnings", "What could not be read.");
  }
};

} // namespace upskill
