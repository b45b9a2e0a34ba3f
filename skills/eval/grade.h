#pragma once
#include "skills/eval/case.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::eval {

inline constexpr std::size_t k_max_evidence = 300; // bytes

// Where a check stands in its case, from 1: "2", and "2.1" for its first part.
using CheckPosition = std::string;
// The check that a case with `should_trigger` has beside its own.
inline constexpr std::string_view k_trigger_position = "trigger";

// A file of the workspace after the student has gone.
struct WorkspaceFile {
  enum class State {
    text,
    missing,
    no_text // it is there, and cannot be looked into: a folder, too large, not the student's
  } state = State::missing;
  std::string text = {};   // of State::text
  std::string reason = {}; // of State::no_text

  friend bool operator==(const WorkspaceFile&, const WorkspaceFile&) = default;
};

// How a command went in the sandbox.
struct CommandOutcome {
  std::optional<int> exit_code = {}; // none: it did not run, or did not end
  bool timed_out = false;
  std::string output = {}; // or why it did not run

  friend bool operator==(const CommandOutcome&, const CommandOutcome&) = default;
};

struct JudgeOpinion {
  std::optional<bool> holds = {}; // none: it could not say, or was not reached
  std::string evidence = {};

  friend bool operator==(const JudgeOpinion&, const JudgeOpinion&) = default;
};

// What is known about one answer. What is not known (none, or not in the map) leaves the checks
// that need it without a verdict; it never counts as zero.
struct Observation {
  std::string answer = {};
  std::map<std::string, WorkspaceFile> files = {}; // by path, as Needs::files has it
  std::optional<std::uint64_t> tokens = {};
  std::optional<double> cost_usd = {};
  std::optional<double> seconds = {};
  std::string skill = {}; // the name of the skill whose case it is
  std::optional<std::set<std::string>> skills_used = {};
  std::optional<std::set<std::string>> tools_used = {};
  std::map<CheckPosition, CommandOutcome> commands = {};
  std::map<CheckPosition, JudgeOpinion> opinions = {};
};

// What must be gathered before a case can be graded.
struct Needs {
  struct Command {
    CheckPosition position = {};
    std::vector<std::string> argv = {};
    double seconds = 0; // longest

    friend bool operator==(const Command&, const Command&) = default;
  };

  struct Opinion {
    CheckPosition position = {};
    std::string rubric = {};    // of a comparison: what counts, or empty
    std::string reference = {}; // what the answer is compared with; empty: it is judged alone

    friend bool operator==(const Opinion&, const Opinion&) = default;
  };

  std::set<std::string> files = {}; // of the workspace
  std::vector<Command> commands = {};
  std::vector<Opinion> opinions = {};
};

Needs external_needs(const Case& one);

// `unknown` is neither: what a check needs was not there. It is an error of the run, not a failure
// of the student.
enum class CheckVerdict { passed, failed, unknown };

std::string_view to_string(CheckVerdict verdict);
// Passed for failed and the other way round; unknown stays.
CheckVerdict negate(CheckVerdict verdict);

struct CheckResult {
  CheckPosition position = {};
  std::string name = {}; // describe()
  CheckKind kind = CheckKind::contains;
  CheckVerdict verdict = CheckVerdict::unknown;
  std::string evidence = {}; // what was found or is missing; for unknown, why
  double weight = 1;
  std::vector<CheckResult> parts = {};

  friend bool operator==(const CheckResult&, const CheckResult&) = default;
};

struct Grade {
  CheckVerdict verdict = CheckVerdict::unknown;
  // Share of the weight that passed, 0 to 1; none while a check that counts has no verdict.
  std::optional<double> score = {};
  // As upskill counts them: one for each check of the case that counts, however many texts or parts
  // it has.
  int assertions_passed = 0;
  int assertions_total = 0;
  std::vector<CheckResult> checks = {};

  friend bool operator==(const Grade&, const Grade&) = default;
};

// Grades one answer. A verdict is only unknown where what is unknown could change it: a case fails
// with one failed check, whatever a judge that was not reached would have said. `expected.contains`
// and its like look without regard to case (fold_case in skills/document); `equals` and
// `starts_with` take case into account and no white space at both ends; bytes of an answer that are
// not UTF-8 are read as U+FFFD.
Grade grade(const Case& one, const Observation& observation);

} // namespace upskill::eval
