#include "skills/eval/grade.h"

#include "protocol/base/utf8.h"
#include "skills/eval/check_kinds.h"
#include "skills/eval/finding.h"
#include "skills/eval/verdicts.h"

#include <cmath>

namespace upskill::eval {
namespace {

using State = WorkspaceFile::State;

class Grader {
public:
  Grader(const Case& one, const Observation& observation)
      : m_case(one)
      , m_seen(observation) {}

  CheckResult result(const Check& check, const CheckPosition& position) {
    CheckResult result;
    result.position = position;
    result.name = describe(check);
    result.kind = check.kind;
    result.weight = check.weight;
    for (std::size_t i = 0; i < check.parts.size(); ++i) {
      result.parts.push_back(this->result(check.parts[i], position + "." + std::to_string(i + 1)));
    }
    Finding finding = find(check, position, result.parts);
    result.verdict = check.negated ? negate(finding.verdict) : finding.verdict;
    result.evidence = std::move(finding.evidence);
    return result;
  }

  CheckResult trigger(bool wanted) {
    CheckResult result;
    result.position = k_trigger_position;
    result.name = wanted ? "the skill is picked" : "the skill is not picked";
    result.kind = CheckKind::skill_used;
    Finding finding = m_seen.skill.empty()
                          ? cannot_say("it is not known which skill is meant")
                          : find_names({m_seen.skill}, m_seen.skills_used, "skills");
    result.verdict = wanted ? finding.verdict : negate(finding.verdict);
    result.evidence = std::move(finding.evidence);
    return result;
  }

private:
  Finding
  find(const Check& check, const CheckPosition& position, const std::vector<CheckResult>& parts) {
    switch (check.kind) {
    case CheckKind::file_exists:
    case CheckKind::file_contains:
      return find_file(check);
    case CheckKind::command:
      return find_outcome(check, position);
    case CheckKind::tokens_under:
      return compare(m_seen.tokens ? std::optional(static_cast<double>(*m_seen.tokens))
                                   : std::nullopt,
                     check.limit,
                     "tokens");
    case CheckKind::cost_under:
      return compare(m_seen.cost_usd, check.limit, "US dollars");
    case CheckKind::latency_under:
      return compare(m_seen.seconds, check.limit, "seconds");
    case CheckKind::skill_used:
      return find_names(check.values, m_seen.skills_used, "skills");
    case CheckKind::tool_used:
      return find_names(check.values, m_seen.tools_used, "tools");
    case CheckKind::all_of:
    case CheckKind::any_of:
      return combine(check, parts);
    case CheckKind::judge:
    case CheckKind::at_least_as_good:
      return find_opinion(position);
    default:
      return look_into_answer(check);
    }
  }

  Finding look_into_answer(const Check& check) {
    if (m_case.output_file.empty()) {
      return look_into(check, text("", m_seen.answer), "the answer");
    }
    return look_into_file(check, m_case.output_file);
  }

  // Each text is prepared once; the answer has the name that no file has.
  const GradedText& text(const std::string& name, std::string_view text) {
    auto at = m_texts.find(name);
    return at != m_texts.end() ? at->second : m_texts.emplace(name, GradedText(text)).first->second;
  }

  Finding look_into_file(const Check& check, const std::string& path) {
    auto at = m_seen.files.find(path);
    if (at == m_seen.files.end()) {
      return cannot_say(in_backticks(path) + " was not looked for");
    }
    switch (at->second.state) {
    case State::text:
      return look_into(check, text(path, at->second.text), in_backticks(path));
    case State::missing:
      return fails(in_backticks(path) + " is not in the workspace");
    case State::no_text:
      break;
    }
    return cannot_say(in_backticks(path) + ": " + to_valid_utf8(at->second.reason));
  }

  Finding find_file(const Check& check) {
    auto at = m_seen.files.find(check.path);
    if (check.kind == CheckKind::file_contains || at == m_seen.files.end()) {
      return look_into_file(check, check.path);
    }
    return at->second.state == State::missing
               ? fails(in_backticks(check.path) + " is not in the workspace")
               : passes(in_backticks(check.path) + " is in the workspace");
  }

  Finding find_outcome(const Check& check, const CheckPosition& position) {
    auto at = m_seen.commands.find(position);
    if (at == m_seen.commands.end()) {
      return cannot_say("the command was not run");
    }
    const CommandOutcome& outcome = at->second;
    std::string output = to_valid_utf8(outcome.output);
    if (outcome.timed_out) {
      return fails("no end after " + shown(check.limit) + " seconds: " + output);
    }
    if (!outcome.exit_code) {
      return cannot_say("the command could not be run: " + output);
    }
    std::string evidence = "exit " + std::to_string(*outcome.exit_code) + ": " + output;
    return *outcome.exit_code == 0 ? passes(evidence) : fails(evidence);
  }

  Finding find_opinion(const CheckPosition& position) {
    auto at = m_seen.opinions.find(position);
    if (at == m_seen.opinions.end()) {
      return cannot_say("no judge was asked");
    }
    std::string evidence = to_valid_utf8(at->second.evidence);
    if (!at->second.holds) {
      return cannot_say("the judge did not say: " + evidence);
    }
    return *at->second.holds ? passes(evidence) : fails(evidence);
  }

  static std::string shown(double number) {
    std::string text = std::to_string(number);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
  }

  static Finding compare(std::optional<double> used, double limit, const std::string& unit) {
    if (!used || std::isnan(*used)) {
      return cannot_say("the number of " + unit + " is not known");
    }
    std::string evidence = shown(*used) + " " + unit;
    return *used < limit ? passes(evidence) : fails(evidence);
  }

  static Finding find_names(const std::vector<std::string>& wanted,
                            const std::optional<std::set<std::string>>& used,
                            const std::string& what) {
    if (!used) {
      return cannot_say("it is not known which " + what + " were used");
    }
    std::string missing;
    for (const std::string& name : wanted) {
      if (!used->contains(name)) {
        missing += (missing.empty() ? "" : ", ") + in_backticks(name);
      }
    }
    std::string all;
    for (const std::string& name : *used) {
      all += (all.empty() ? "" : ", ") + in_backticks(name);
    }
    std::string evidence = all.empty() ? "no " + what + " were used" : what + " used: " + all;
    return missing.empty() ? passes(evidence) : fails(missing + " was not used; " + evidence);
  }

  static Finding combine(const Check& check, const std::vector<CheckResult>& parts) {
    Shares shares = shares_of(parts);
    CheckVerdict verdict = check.kind == CheckKind::all_of ? decide_all(shares, check.threshold)
                                                           : decide_any(shares, check.threshold);
    std::string evidence = shown(shares.passed) + " of " + shown(shares.total()) + " passed";
    if (shares.unknown > 0) {
      evidence += ", " + shown(shares.unknown) + " without a verdict";
    }
    return {verdict, evidence};
  }

  const Case& m_case;
  const Observation& m_seen;
  std::map<std::string, GradedText> m_texts;
};

} // namespace

Grade grade(const Case& one, const Observation& observation) {
  Grader grader(one, observation);
  Grade grade;
  for (std::size_t i = 0; i < one.checks.size(); ++i) {
    grade.checks.push_back(grader.result(one.checks[i], std::to_string(i + 1)));
  }
  if (one.should_trigger) {
    grade.checks.push_back(grader.trigger(*one.should_trigger));
  }
  for (const CheckResult& check : grade.checks) {
    grade.assertions_total += check.weight > 0 ? 1 : 0;
    grade.assertions_passed += check.weight > 0 && check.verdict == CheckVerdict::passed ? 1 : 0;
  }
  Shares shares = shares_of(grade.checks);
  if (shares.total() <= 0) { // a case that read_cases() would not have let through
    return grade;
  }
  grade.verdict = decide_all(shares, one.threshold);
  if (shares.unknown <= 0) {
    grade.score = shares.passed / shares.total();
  }
  return grade;
}

} // namespace upskill::eval
