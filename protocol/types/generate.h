#pragma once
#include "protocol/types/eval_reports.h"
#include "protocol/types/traces.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill {

// What is asked of `skill_generate`. Paths are relative to the caller's folder. Agents are shown
// what says which skill and for whom; the rest would cost each of them its context, or is a
// person's to decide.
struct GenerateParams {
  std::string task;
  std::vector<std::string> example = {};
  std::vector<std::string> tool = {};
  std::vector<std::string> from = {};
  std::string model = {};
  std::string test_gen_model = {};
  std::vector<std::string> eval_model = {};
  std::string base_url = {};
  std::string eval_base_url = {};
  std::string student = {};
  std::string judge_model = {};
  std::string output = {};
  bool no_eval = false;
  bool keep_anyway = false;
  bool dry_run = false;
  std::optional<std::int64_t> candidates = {};
  std::optional<std::int64_t> attempts = {};
  std::optional<std::int64_t> runs = {};
  std::optional<std::int64_t> cases = {};
  std::string counterexamples = {};
  bool tune_description = false;
  std::int64_t evidence_tokens = 24'000;
  bool verbose = false;
  std::optional<std::int64_t> jobs = {};
  std::int64_t seed = 1;
  bool fresh = false;
  std::optional<double> budget = {};
  std::optional<std::int64_t> token_budget = {};
  std::optional<std::int64_t> time_budget = {};
  std::optional<bool> log_runs = {};
  std::string runs_dir = {};
  std::string record = {};
  std::string replay = {};
  std::string executor = {};

  static void describe(auto& f) {
    f.required(&GenerateParams::task, "task", "What the skill is for, or how to improve it.");
    f.optional(&GenerateParams::example, "example", "What is asked, and what is right.");
    f.for_people(&GenerateParams::tool,
                 "tool",
                 "An MCP tool that the skill uses: `FILE#NAME`, of a tools/list.");
    f.optional(&GenerateParams::from,
               "from",
               "A skill to improve, or sessions to learn from: ids, files, or `last`.");
    f.optional(&GenerateParams::model, "model", "The teacher: writes the skill.");
    f.for_people(
        &GenerateParams::test_gen_model, "test_gen_model", "Writes the test cases; the teacher.");
    f.optional(
        &GenerateParams::eval_model, "eval_model", "A student: who is to do better with it.");
    f.for_people(&GenerateParams::base_url, "base_url", "Server of the teacher's model.");
    f.for_people(
        &GenerateParams::eval_base_url, "eval_base_url", "Server of the students' models.");
    f.for_people(&GenerateParams::student, "student", "How students work: `chat`, or `agent`.");
    f.for_people(&GenerateParams::judge_model, "judge_model", "Answers `judge` checks.");
    f.optional(&GenerateParams::output, "output", "Its folder; `skills_dir/NAME` unless told.");
    f.for_people(&GenerateParams::no_eval, "no_eval", "Save it without a test.");
    f.for_people(
        &GenerateParams::keep_anyway, "keep_anyway", "Save it though it is not proven better.");
    f.optional(&GenerateParams::dry_run, "dry_run", "Tell who would be asked what; ask nobody.");
    f.for_people(
        &GenerateParams::candidates, "candidates", "First drafts, the best of which goes on; 1.");
    f.for_people(&GenerateParams::attempts, "attempts", "Drafts in a row, the first included; 3.");
    f.for_people(&GenerateParams::runs, "runs", "Samples of each case and arm; 3.");
    f.for_people(&GenerateParams::cases, "cases", "Test cases, half of them held out; 20.");
    f.for_people(&GenerateParams::counterexamples,
                 "counterexamples",
                 "A model that looks for cases on which the skill hurts.");
    f.for_people(&GenerateParams::tune_description,
                 "tune_description",
                 "Also make the skill picked when it should be, and only then.");
    f.for_people(&GenerateParams::evidence_tokens,
                 "evidence_tokens",
                 "Tokens of sessions that the teacher reads; 24000.");
    f.for_people(&GenerateParams::verbose, "verbose", "Also show every draft.");
    f.for_people(&GenerateParams::jobs, "jobs", "Samples in flight at a time.");
    f.for_people(&GenerateParams::seed, "seed", "Of the split, of order and of intervals; 1.");
    f.for_people(&GenerateParams::fresh, "fresh", "Ask again what was answered before.");
    f.optional(&GenerateParams::budget, "budget", "US dollars that may be spent.");
    f.for_people(&GenerateParams::token_budget, "token_budget", "Tokens that may be used.");
    f.for_people(&GenerateParams::time_budget, "time_budget", "Seconds that it may take.");
    f.for_people(&GenerateParams::log_runs, "log_runs", "Write run logs; on unless told.");
    f.for_people(&GenerateParams::runs_dir, "runs_dir", "Folder of run logs; `./runs`.");
    f.for_people(&GenerateParams::record, "record", "Folder to record the models' answers to.");
    f.for_people(&GenerateParams::replay, "replay", "Folder of such a record, to ask instead.");
    f.for_people(&GenerateParams::executor, "executor", "Where it runs; there is only `local`.");
  }
};

// Who does what.
struct GenerateRole {
  std::string role;
  std::string model = {};
  std::string resolved = {};

  static void describe(auto& f) {
    f.required(&GenerateRole::role,
               "role",
               "`teacher`, `test cases`, `student`, `judge`, `counterexamples` or `trigger "
               "queries`.");
    f.required(&GenerateRole::model, "model", "As it was named.");
    f.optional(&GenerateRole::resolved, "resolved", "Provider, model and server behind it.");
  }
};

// One draft, and what came of it.
struct GenerateAttempt {
  std::int64_t attempt = 1;
  std::int64_t candidate = 1;
  bool refined = false;
  std::string problem = {};
  std::optional<double> baseline = {};
  std::optional<double> with_skill = {};
  std::optional<double> held_out_baseline = {};
  std::optional<double> held_out = {};
  std::int64_t tokens = 0;
  bool chosen = false;
  std::string document = {};

  static void describe(auto& f) {
    f.required(&GenerateAttempt::attempt, "attempt", "From 1.");
    f.required(&GenerateAttempt::candidate, "candidate", "From 1.");
    f.optional(&GenerateAttempt::refined, "refined", "By what failed with the one before.");
    f.optional(&GenerateAttempt::problem, "problem", "Why there is no draft.");
    f.optional(&GenerateAttempt::baseline, "baseline", "Pass rate on the train cases without it.");
    f.optional(&GenerateAttempt::with_skill, "with_skill", "And with it.");
    f.optional(&GenerateAttempt::held_out_baseline, "held_out_baseline", "On held-out cases.");
    f.optional(&GenerateAttempt::held_out, "held_out", "Where it was looked at.");
    f.optional(&GenerateAttempt::tokens, "tokens", "Of its SKILL.md, estimated.");
    f.optional(&GenerateAttempt::chosen, "chosen", "This is the one.");
    f.optional(&GenerateAttempt::document, "document", "Its SKILL.md, with `verbose`.");
  }
};

struct GeneratedFile {
  std::string path;
  std::int64_t tokens = 0;

  static void describe(auto& f) {
    f.required(&GeneratedFile::path, "path", "Relative to the skill.");
    f.required(&GeneratedFile::tokens, "tokens", "That a model reads for it, estimated.");
  }
};

// A session that it was made of. What the session says is nowhere but in the teacher's prompt.
struct GenerateEvidence {
  std::string name;
  std::string session = {};
  std::string path = {};
  std::string hash = {};
  std::int64_t tokens = 0;
  TraceCounts counts = {};
  std::int64_t held_out_beats = 0;

  static void describe(auto& f) {
    f.required(&GenerateEvidence::name, "name", "As it was named.");
    f.optional(&GenerateEvidence::session, "session", "The agent's own id of it.");
    f.optional(&GenerateEvidence::path, "path", "Its file.");
    f.optional(&GenerateEvidence::hash, "hash", "SHA-256 of what the teacher read of it.");
    f.required(&GenerateEvidence::tokens, "tokens", "That the teacher read of it.");
    f.optional(&GenerateEvidence::counts, "counts", "What happened in it, and was left out.");
    f.optional(&GenerateEvidence::held_out_beats,
               "held_out_beats",
               "Parts of it that only test cases were made of.");
  }
};

// What a skill's description does, before it was tuned and after, on queries held out.
struct GenerateTriggers {
  std::int64_t train = 0;
  std::int64_t held_out = 0;
  EvalTrigger before = {};
  EvalTrigger after = {};
  bool changed = false;
  std::string why = {};

  static void describe(auto& f) {
    f.required(&GenerateTriggers::train, "train", "Queries it was tuned by.");
    f.required(&GenerateTriggers::held_out, "held_out", "Queries that say how well.");
    f.required(&GenerateTriggers::before, "before", "As it was drafted, on held-out queries.");
    f.required(&GenerateTriggers::after, "after", "As it is now.");
    f.required(&GenerateTriggers::changed, "changed", "Another description was better.");
    f.optional(&GenerateTriggers::why, "why", "Why no more descriptions were tried.");
  }
};

enum class GenerateOutcome {
  saved,         // it is better, and saved
  kept_anyway,   // it is not proven better, and saved on request
  unevaluated,   // saved without a test, on request
  not_better,    // not saved
  worse,         // not saved: a student gets worse
  not_warranted, // there is nothing to teach
  undecidable,   // too few test cases
  stopped,       // budget or time
  planned        // `dry_run`
};

template <> struct EnumNames<GenerateOutcome> {
  static constexpr std::array<std::string_view, 9> names{"saved",
                                                         "kept_anyway",
                                                         "unevaluated",
                                                         "not_better",
                                                         "worse",
                                                         "not_warranted",
                                                         "undecidable",
                                                         "stopped",
                                                         "planned"};
};

struct GenerateResult {
  std::string id = {};
  GenerateOutcome outcome = GenerateOutcome::not_better;
  std::string why = {};
  std::string skill = {};
  std::string description = {};
  std::string saved = {};
  std::string replaced = {};
  bool synced = false;
  std::string hash = {};
  std::vector<GeneratedFile> files = {};
  std::vector<GenerateRole> roles = {};
  std::vector<GenerateAttempt> attempts = {};
  std::int64_t train_cases = 0;
  std::int64_t held_out_cases = 0;
  std::int64_t runs = 0;
  std::vector<EvalModelReport> models = {};
  std::optional<GenerateTriggers> triggers = {};
  std::vector<GenerateEvidence> evidence = {};
  std::string improves = {};
  std::string document = {};
  std::optional<double> cost = {};
  std::int64_t asked = 0;
  std::int64_t cached = 0;
  std::string stopped = {};
  bool scripted = false;
  std::string config = {};
  std::string logs = {};
  std::string failed = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.optional(&GenerateResult::id, "id", "Names the generation.");
    f.required(&GenerateResult::outcome, "outcome", "What became of it.");
    f.optional(&GenerateResult::why, "why", "In a sentence.");
    f.optional(&GenerateResult::skill, "skill", "The skill's name.");
    f.optional(&GenerateResult::description, "description", "Its description.");
    f.optional(&GenerateResult::saved, "saved", "Its folder; absent where it was not saved.");
    f.optional(&GenerateResult::replaced, "replaced", "Where the version before it lies.");
    f.optional(&GenerateResult::synced, "synced", "Sync carries it on: `sync log`, `sync undo`.");
    f.optional(&GenerateResult::hash, "hash", "Of its content.");
    f.optional(&GenerateResult::files, "files", "What it consists of.");
    f.optional(&GenerateResult::roles, "roles", "Who was asked what.");
    f.optional(&GenerateResult::attempts, "attempts", "Each draft.");
    f.optional(&GenerateResult::train_cases, "train_cases", "That drafts were refined by.");
    f.optional(&GenerateResult::held_out_cases, "held_out_cases", "That decided.");
    f.optional(&GenerateResult::runs, "runs", "Samples of each case and arm.");
    f.optional(&GenerateResult::models,
               "models",
               "Each student on the held-out cases, which no draft has seen.");
    f.optional(&GenerateResult::triggers, "triggers", "Of the description, where it was tuned.");
    f.optional(&GenerateResult::evidence, "evidence", "Sessions that it was made of.");
    f.optional(&GenerateResult::improves, "improves", "The folder of the skill it is made from.");
    f.optional(&GenerateResult::document, "document", "SKILL.md, where it was not saved.");
    f.optional(&GenerateResult::cost, "cost", "US dollars that were spent.");
    f.optional(&GenerateResult::asked, "asked", "Calls to models.");
    f.optional(&GenerateResult::cached, "cached", "Answers that were known.");
    f.optional(&GenerateResult::stopped, "stopped", "Why it ended early.");
    f.optional(&GenerateResult::scripted, "scripted", "A model of it was a script, and no model.");
    f.optional(&GenerateResult::config, "config", "Where the configuration is from.");
    f.optional(&GenerateResult::logs, "logs", "Folder of the run logs.");
    f.optional(&GenerateResult::failed, "failed", "Why the answer is no: exit code 1.");
    f.optional(&GenerateResult::warnings, "warnings", "What to know before trusting this.");
  }
};

} // namespace upskill
