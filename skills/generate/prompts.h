#pragma once
#include "skills/eval/case.h"
#include "skills/generate/draft.h"
#include "skills/generate/prompt.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What models are asked about skills: one function a file of prompts/. Texts of others are data
// behind a mark (skills/eval/prompt_text.h), never instructions.
namespace upskill::generate {

// An MCP tool whose use the skill is to teach.
struct ToolSchema {
  std::string name = {};
  std::string description = {};
  std::string schema = {}; // JSON of its input schema

  friend bool operator==(const ToolSchema&, const ToolSchema&) = default;
};

// What a person wants a skill for. `evidence` is distilled sessions: it goes to who drafts, and to
// nobody else, neither into the task nor into tests or metadata.
struct Brief {
  std::string task = {};
  std::vector<std::string> examples = {};
  std::vector<ToolSchema> tools = {};
  std::string evidence = {};

  friend bool operator==(const Brief&, const Brief&) = default;
};

// A sample of a train case that did not pass.
struct Failure {
  std::string case_id = {};
  std::string input = {};
  std::string student = {};
  std::string output = {};
  std::vector<std::string> checks = {}; // those that failed: "contains `9.0`: not found"
  bool passes_without = false;          // without the skill this case passes: the skill does harm

  friend bool operator==(const Failure&, const Failure&) = default;
};

inline constexpr std::size_t k_failure_tokens = 12'000; // of all failures in one prompt: bytes / 4

// A first draft, of task, examples and tools alone, or of evidence.
Prompt draft_prompt(const Brief& brief);
// A skill that is to be improved, by what the task says and by evidence, where there is some.
Prompt improve_prompt(const Brief& brief, const Draft& current);
// A draft and everything that failed with it: each failed case at least once, then more of its
// samples, outputs cut in the middle, within k_failure_tokens.
Prompt refine_prompt(const Brief& brief, const Draft& draft, const std::vector<Failure>& failures);
// The lesson of one session, as a list of items; and one draft of several such lessons.
Prompt lesson_prompt(const Brief& brief);
Prompt merge_prompt(const Brief& brief, const std::vector<std::string>& lessons);

// Test cases for a task: `known` are inputs that exist and are not to be repeated, `held_out` is
// evidence that no drafter saw, or nothing. The reply is upskill's `{cases}`.
struct CasesWanted {
  std::string task = {};
  std::vector<std::string> examples = {}; // told apart from: a case must not be one of them
  std::vector<ToolSchema> tools = {};
  std::string about = {};    // a skill that is improved: name and description; never its body
  std::string held_out = {}; // evidence
  std::vector<std::string> known = {};
  std::size_t count = 0; // 1 to k_most_cases
};

Prompt task_cases_prompt(const CasesWanted& wanted);
// Reads the reply: what read_written_cases does, and left out are cases that an empty answer, the
// prompt itself or an example passes, and those that repeat a known one.
Result<eval::CaseSuite> read_task_cases(std::string_view reply, const CasesWanted& wanted);

// Cases on which the skill hurts: asked of a second model, which sees the skill.
Prompt counterexample_prompt(const Brief& brief, const Draft& draft, std::size_t count);
Result<eval::CaseSuite>
read_counterexamples(std::string_view reply, const Brief& brief, std::size_t count);

inline constexpr std::size_t k_most_queries = 40;

// Trigger queries: {query, should_trigger}, as many near misses as positives; 2 to k_most_queries.
Prompt queries_prompt(const Draft& draft, std::string_view task, std::size_t count);
// Cases with `should_trigger` and no checks, of both kinds, none twice; invalid_argument where one
// kind is missing.
Result<eval::CaseSuite> read_queries(std::string_view reply, std::size_t count);

// A better description: by the train queries that went wrong. The reply is `{description}`.
struct Misfire {
  std::string query = {};
  bool should_trigger = false;
  double picked = 0; // share of its samples
};

Prompt describe_prompt(const Draft& draft, const std::vector<Misfire>& misfires);
// One line of at most 1,024 characters.
Result<std::string> read_description(std::string_view reply);

} // namespace upskill::generate
