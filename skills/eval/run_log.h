#pragma once
#include "protocol/types/eval_reports.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Run logs as upskill writes them: a batch has runs, a run is every case once, in one arm, by one
// model. Names and meaning of the fields are those of upskill 0.2.1 and of its main branch of
// 2026-05.
namespace upskill::eval {

// What a run took. Nothing is unknown, and is left out of the file: to upskill that is 0.
struct ConversationStats {
  std::optional<double> conversation_span_ms = {};
  std::optional<double> llm_time_ms = {};
  std::optional<double> tool_time_ms = {};
  std::optional<std::int64_t> turns = {};
  std::optional<std::int64_t> tool_calls = {};
  std::optional<std::int64_t> tool_errors = {};
  std::optional<std::int64_t> mcp_calls = {};
  std::optional<std::int64_t> execute_calls = {};
  std::optional<std::int64_t> input_tokens = {};
  std::optional<std::int64_t> output_tokens = {};
  std::optional<std::int64_t> total_tokens = {};

  friend bool operator==(const ConversationStats&, const ConversationStats&) = default;
};

struct RunMetadata {
  std::string model = {};
  std::string task = {};
  std::string batch_id = {};
  std::int64_t run_number = 0; // of the folder, from 1
  std::string timestamp = {};  // RFC 3339; upskill's own are local and say no zone

  friend bool operator==(const RunMetadata&, const RunMetadata&) = default;
};

struct RunResult {
  RunMetadata metadata = {};
  ConversationStats stats = {};
  bool passed = false;                // every case has an outcome, and passed
  std::int64_t assertions_passed = 0; // cases that passed,
  std::int64_t assertions_total = 0;  // of those that have an outcome
  std::string error_message = {};     // why others have none
  std::string session_id = {};
  std::string session_history_file = {};
  std::optional<EvalArm> arm = {}; // `run_type`; old logs do not tell
  std::string skill_name = {};     // empty: likewise
  std::string skill_hash = {};     // ours, as those below
  std::string cases_hash = {};
  std::string student = {}; // who used the model; upskill has one of its own
  std::string against = {}; // what the baseline had, where not nothing

  friend bool operator==(const RunResult&, const RunResult&) = default;
};

struct BatchSummary {
  std::string batch_id = {};
  std::string model = {}; // several: "a, b"
  std::string task = {};
  std::int64_t total_runs = 0;
  std::int64_t passed_runs = 0;
  std::vector<RunResult> results = {};
};

// The runs of an evaluation with its samples: models in their order, of each the runs in theirs,
// the baseline first; numbered from 1. `timestamp` is that of all of them.
std::vector<RunResult> runs_of(const EvalResult& result,
                               const std::string& batch_id,
                               const std::string& timestamp,
                               const std::string& cases_hash);

// Of the runs of one batch.
BatchSummary summarise_batch(const std::string& batch_id, std::vector<RunResult> runs);

} // namespace upskill::eval
