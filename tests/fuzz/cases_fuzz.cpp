#include "protocol/base/utf8.h"
#include "skills/eval/cases.h"
#include "skills/eval/grade.h"

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

using namespace upskill;
using namespace upskill::eval;

namespace {

// A broken promise must stop the fuzzer.
void promise(bool kept) {
  if (!kept) {
    std::abort();
  }
}

// Something of everything that a check can ask for; every second thing that is gathered is bad.
Observation observe(const Case& one) {
  Observation seen;
  seen.answer = "{\"answer\": \"It is 9.0, sm_90. \xC3\x89t\xC3\xA9 \xFF\"}";
  seen.tokens = 500;
  seen.seconds = 2.5; // what it cost is not known
  seen.skill = "pdf";
  seen.skills_used = {"pdf"};
  seen.tools_used = {"Bash"};
  Needs needs = external_needs(one);
  bool good = true;
  for (const std::string& file : needs.files) {
    promise(!file.empty() && !file.starts_with('/') && !file.starts_with('~')
            && ("/" + file + "/").find("/../") == std::string::npos);
    using enum WorkspaceFile::State;
    seen.files[file] = good ? WorkspaceFile{text, "It is 9.0", {}} : WorkspaceFile{missing, {}, {}};
    good = !good;
  }
  for (const Needs::Command& command : needs.commands) {
    promise(!command.argv.empty() && command.seconds > 0
            && command.seconds <= k_longest_command_limit);
    seen.commands[command.position] =
        good ? CommandOutcome{0, false, "ok"} : CommandOutcome{{}, true, "\xFF"};
    good = !good;
  }
  for (const Needs::Opinion& opinion : needs.opinions) {
    promise(!opinion.rubric.empty() || !opinion.reference.empty());
    seen.opinions[opinion.position] = good ? JudgeOpinion{true, "it is"} : JudgeOpinion{{}, "?"};
    good = !good;
  }
  return seen;
}

void check_results(const std::vector<CheckResult>& results, std::set<std::string>& positions) {
  for (const CheckResult& result : results) {
    promise(positions.insert(result.position).second);
    promise(!result.name.empty() && is_utf8(result.evidence)
            && result.evidence.size() <= k_max_evidence);
    promise(result.verdict != CheckVerdict::unknown || !result.evidence.empty());
    check_results(result.parts, positions);
  }
}

void check_grade(const Case& one) {
  Observation seen = observe(one);
  Grade grade = eval::grade(one, seen);
  std::set<std::string> positions;
  check_results(grade.checks, positions);
  promise(grade.assertions_total > 0 && grade.assertions_passed <= grade.assertions_total);
  promise(!grade.score || (*grade.score >= 0 && *grade.score <= 1));
  // Whoever knows every check knows the case.
  promise(!grade.score || grade.verdict != CheckVerdict::unknown);
  promise(one.threshold || grade.verdict != CheckVerdict::passed
          || grade.assertions_passed == grade.assertions_total || !grade.score);
  promise(eval::grade(one, seen) == grade);
}

} // namespace

// A test file of any bytes: an error that can be shown, or cases that can be graded.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Result<CaseSuite> suite = read_cases(bytes);
  if (!suite) {
    promise(!suite.error().message.empty() && is_utf8(suite.error().message)
            && is_utf8(suite.error().hint));
    return 0;
  }
  promise(!suite->cases.empty() && suite->cases.size() <= k_max_cases);
  for (const std::string& warning : suite->warnings) {
    promise(!warning.empty() && is_utf8(warning));
  }
  std::set<std::string> ids;
  for (const Case& one : suite->cases) {
    promise(!one.id.empty() && !one.input.empty() && ids.insert(one.id).second);
    check_grade(one);
  }
  return 0;
}
