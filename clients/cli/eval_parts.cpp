#include "clients/cli/eval_parts.h"

#include "clients/cli/bars.h"
#include "clients/cli/text.h"

#include <cstdio>
#include <set>

namespace upskill::cli {

std::string dollars(double cost) {
  char text[32];
  std::snprintf(text, sizeof text, cost > 0 && cost < 0.01 ? "$%.4f" : "$%.2f", cost);
  return text;
}

std::string counts_of(const EvalArmReport& arm) {
  std::string text = std::to_string(arm.passed) + " of " + count(arm.samples, "sample", "samples");
  if (arm.errors > 0) {
    text += ", " + count(arm.errors, "error", "errors");
  }
  return text;
}

std::string rate_of(const EvalArmReport& arm) {
  return arm.rate ? percent(*arm.rate) : std::string("-");
}

std::string tokens_of(const EvalArmReport& arm) {
  bool is_known = arm.tokens.total && arm.samples > 0;
  return is_known ? grouped(*arm.tokens.total / arm.samples) : std::string("unknown");
}

std::string interval_of(const EvalLift& lift) {
  return points(lift.low) + " to " + points(lift.high);
}

Tint tint_of(EvalVerdict verdict) {
  switch (verdict) {
  case EvalVerdict::better:
    return Tint::green;
  case EvalVerdict::worse:
    return Tint::red;
  case EvalVerdict::undecided:
    break;
  }
  return Tint::yellow;
}

std::string why_of(const EvalModelReport& model) {
  std::string why = count(model.cases_better, "case gains", "cases gain") + ", "
                    + std::to_string(model.cases_worse) + " lose"
                    + (model.cases_worse == 1 ? "s" : "");
  if (model.verdict == EvalVerdict::undecided) {
    why = model.reason + "; " + why;
    if (model.more_cases && *model.more_cases > 0) {
      why += "; needs about " + count(*model.more_cases, "more case", "more cases");
    }
  }
  if (model.detectable) {
    why += *model.detectable <= 1 ? "; a lift of " + percent(*model.detectable) + " would show"
                                  : "; no lift would show with so few cases";
  }
  if (model.baseline && model.baseline->rate && *model.baseline->rate >= 1) {
    why += "; the baseline is at its ceiling";
  }
  return why;
}

std::string trigger_of(const EvalTrigger& trigger) {
  auto share = [](const std::optional<EvalShare>& of) {
    return of ? percent(of->value) + " [" + percent(of->low) + ", " + percent(of->high) + "]"
              : std::string("unknown");
  };
  return "precision " + share(trigger.precision) + ", recall " + share(trigger.recall)
         + (trigger.f1 ? ", F1 " + percent(*trigger.f1) : std::string());
}

std::string name_of(const std::vector<EvalModelReport>& models, const EvalModelReport& model) {
  std::set<std::string_view> students;
  std::set<std::string_view> names;
  for (const EvalModelReport& one : models) {
    students.insert(one.student);
    names.insert(one.model);
  }
  if (model.model.empty() || (names.size() < 2 && students.size() > 1)) {
    return model.student; // the model is the same in every row
  }
  return students.size() < 2 ? model.model : model.student + " with " + model.model;
}

std::string spent_of(std::int64_t cached, std::optional<double> cost) {
  std::string text;
  if (cached > 0) {
    text += count(cached, "answer", "answers") + " known from before";
  }
  if (cost && *cost > 0) {
    text += (text.empty() ? "" : ", ") + dollars(*cost) + " spent now";
  }
  return text;
}

void print_tokens(Page& page, const EvalModelReport& model) {
  if (!model.with_skill.tokens.total && !(model.baseline && model.baseline->tokens.total)) {
    return;
  }
  std::string text = "tokens a sample ";
  if (model.baseline) {
    text += tokens_of(*model.baseline) + " " + std::string(page.sign("→", "->")) + " ";
  }
  text += tokens_of(model.with_skill);
  if (model.token_ratio) {
    text += " (" + points(*model.token_ratio - 1) + " for each case)";
  }
  if (model.with_skill.cost && (!model.baseline || model.baseline->cost)) {
    double cost = *model.with_skill.cost + (model.baseline ? *model.baseline->cost : 0.0);
    if (cost > 0) {
      text += ", " + dollars(cost) + " in all";
    }
  }
  page.line("  " + page.tint(Tint::dim, text));
}

void print_source(Page& page, std::string_view config) {
  std::string source = config.empty() ? std::string("defaults") : page.path(config);
  page.line(page.tint(Tint::dim, "Config source: " + source));
}

} // namespace upskill::cli
