#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace upskill::eval {

// What a check is, by its name in test files (README.md has the table). `not_` before a name, in a
// file, sets Check::negated.
enum class CheckKind {
  contains,  // every value is in the answer, without regard to case (upskill's meaning)
  icontains, // the same, by the name that others give it
  contains_any,
  icontains_any,
  regex, // RE2
  equals,
  starts_with,
  is_json,
  json_schema,
  file_exists,
  file_contains,
  command, // in the sandbox: exit code, and what it prints
  tokens_under,
  cost_under,
  latency_under,
  skill_used,
  tool_used,
  all_of,
  any_of,
  judge,           // a model's opinion
  at_least_as_good // a model's comparison with a reference
};

// One thing that an answer must have. Which members count depends on the kind.
struct Check {
  CheckKind kind = CheckKind::contains;
  bool negated = false;
  std::string name = {};                // as reports show it; empty: made of kind and values
  std::vector<std::string> values = {}; // texts, patterns, names of skills and tools
  std::string path = {};                // in the workspace: relative, and it stays inside
  std::string schema = {};              // JSON Schema, as JSON
  std::vector<std::string> argv = {};   // command
  std::string rubric = {};              // judge; at_least_as_good: what counts, or empty
  std::string reference = {};           // at_least_as_good; empty: the case's expected_output
  double limit = 0;                     // tokens, US dollars or seconds; of a command, too
  double weight = 1;                    // 0: reported, and does not count
  std::optional<double> threshold = {}; // all_of, any_of: the share of weight that is enough
  std::vector<Check> parts = {};        // all_of, any_of

  friend bool operator==(const Check&, const Check&) = default;
};

// One task for a student, and how its answer is graded. `context_files` are put into the workspace;
// checks, expected texts and graders are never shown to a student.
struct Case {
  std::string id = {};
  std::string input = {};
  std::map<std::string, std::string> context_files = {}; // text by relative path
  std::vector<std::string> fixture_files = {};           // relative to the skill's folder
  std::string output_file = {};     // what is graded in place of the answer; empty: the answer
  std::string expected_output = {}; // prose, for judges and people
  std::vector<Check> checks = {};
  std::optional<double> threshold = {};    // share of weight to pass; none: all
  std::optional<bool> should_trigger = {}; // a trigger query: is the skill to be picked
  std::string cluster = {};                // cases that share a fixture: one unit of statistics

  friend bool operator==(const Case&, const Case&) = default;
};

struct CaseSuite {
  std::vector<Case> cases = {};
  std::vector<std::string> warnings = {}; // what was read with a grain of salt

  friend bool operator==(const CaseSuite&, const CaseSuite&) = default;
};

} // namespace upskill::eval
