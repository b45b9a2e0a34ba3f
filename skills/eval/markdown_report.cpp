#include "skills/eval/markdown_report.h"

#include "skills/eval/plain_markdown.h"
#include "skills/eval/report_numbers.h"

#include <algorithm>
#include <string_view>

namespace upskill::eval {
namespace {

constexpr std::size_t k_most_warnings = 20;
constexpr std::size_t k_most_combinations = 200;

std::string verdict_of(const EvalModelReport& model) {
  switch (model.verdict) {
  case EvalVerdict::better:
    return "**better**";
  case EvalVerdict::worse:
    return "**WORSE**";
  case EvalVerdict::undecided:
    break;
  }
  std::string text = "undecided";
  if (!model.reason.empty()) {
    text += ": " + plain_markdown(model.reason);
  }
  if (model.more_cases) {
    text += "; needs about " + as_count(model.more_cases) + " more cases";
  }
  return text;
}

std::string lift_of(const std::optional<EvalLift>& lift) {
  return lift ? as_lift(lift->value, lift->low, lift->high) : "-";
}

// With the student, where several of them used the model.
std::string name_of(const EvalResult& result, const EvalModelReport& model) {
  bool has_others = std::ranges::any_of(
      result.models, [&](const EvalModelReport& other) { return other.student != model.student; });
  return plain_markdown(model.model.empty() ? model.student : model.model)
         + (has_others && !model.model.empty() ? " by " + plain_markdown(model.student) : "");
}

std::int64_t errors_of(const EvalModelReport& model) {
  return model.with_skill.errors + (model.baseline ? model.baseline->errors : 0);
}

std::string errors_text(const EvalResult& result) {
  std::string out;
  for (const EvalModelReport& model : result.models) {
    if (errors_of(model) > 0) {
      out += (out.empty() ? "\n" : "") + std::string("- ") + name_of(result, model) + ": "
             + as_count(errors_of(model)) + " samples have no outcome"
             + (model.error.empty() ? "" : "; first: " + plain_markdown(model.error)) + "\n";
    }
  }
  return out;
}

std::string row(const EvalResult& result, const EvalModelReport& model) {
  std::string text = "| " + name_of(result, model) + " | ";
  text += model.baseline ? as_percent(model.baseline->rate) : "-";
  text += " | " + as_percent(model.with_skill.rate) + " | ";
  return text + lift_of(model.lift) + " | " + verdict_of(model) + " |\n";
}

std::string combinations_of(const EvalResult& result) {
  std::string out = "\n| model | skills | rate | lift against none | against all |\n"
                    "|---|---|---|---|---|\n";
  for (std::size_t i = 0; i < result.combinations.size() && i < k_most_combinations; ++i) {
    const EvalCombination& one = result.combinations[i];
    out += "| " + plain_markdown(one.model) + " | ";
    for (std::size_t k = 0; k < one.skills.size(); ++k) {
      out += (k == 0 ? "" : ", ") + plain_markdown(one.skills[k]);
    }
    out += one.skills.empty() ? "none | " : " | ";
    out += as_percent(one.arm.rate) + " | " + lift_of(one.lift) + " | " + lift_of(one.without_it)
           + " |\n";
  }
  if (result.combinations.size() > k_most_combinations) {
    std::size_t more = result.combinations.size() - k_most_combinations;
    out += "\n" + as_count(static_cast<std::int64_t>(more)) + " more are left out here.\n";
  }
  return out;
}

} // namespace

std::string markdown_report(const EvalResult& result) {
  std::string out = "### Evaluation of " + plain_markdown(result.skill) + "\n\n";
  if (result.scripted) {
    out += "**Scripted:** a script answered in place of a model, so this measures no model.\n\n";
  }
  out += std::string("| model | ") + (result.against.empty() ? "baseline" : "other version")
         + " | with skill | lift (95 % interval) | verdict |\n";
  out += "|---|---|---|---|---|\n";
  for (const EvalModelReport& model : result.models) {
    out += row(result, model);
  }
  if (!result.combinations.empty()) {
    out += combinations_of(result);
  }
  out += "\n" + as_count(result.cases) + " cases, " + as_count(result.runs) + " runs each, seed "
         + std::to_string(result.seed);
  out += result.cost ? ", " + as_dollars(result.cost) : "";
  out += result.hash.empty() ? "" : ", skill " + plain_markdown(result.hash);
  out += ".\n";
  if (!result.against.empty()) {
    out += "The other version is " + plain_markdown(result.against) + ".\n";
  }
  out += errors_text(result);
  for (const std::string* problem : {&result.failed, &result.stopped}) {
    if (!problem->empty()) {
      out += std::string("\n**") + (problem == &result.failed ? "Failed" : "Stopped") + ":** "
             + plain_markdown(*problem) + "\n";
    }
  }
  for (std::size_t i = 0; i < result.warnings.size() && i < k_most_warnings; ++i) {
    out += (i == 0 ? "\n" : "") + std::string("- warning: ") + plain_markdown(result.warnings[i])
           + "\n";
  }
  if (result.warnings.size() > k_most_warnings) {
    out += "- " + std::to_string(result.warnings.size() - k_most_warnings) + " more warnings\n";
  }
  return out;
}

} // namespace upskill::eval
