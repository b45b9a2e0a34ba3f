#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace upskill::cli {
namespace {

constexpr std::size_t k_cells = 20;

std::string percent(double share) {
  return std::to_string(std::lround(share * 100)) + "%";
}

// With its sign: a loss is as visible as a gain.
std::string points(double share) {
  return (share < 0 ? "-" : "+") + percent(std::abs(share));
}

std::string dollars(double cost) {
  char text[32];
  std::snprintf(text, sizeof text, cost > 0 && cost < 0.01 ? "$%.4f" : "$%.2f", cost);
  return text;
}

std::string bar(const Page& page, double share) {
  auto full = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * k_cells));
  std::string cells;
  for (std::size_t i = 0; i < k_cells; ++i) {
    cells += i < full ? page.sign("█", "#") : page.sign("░", ".");
  }
  return cells;
}

std::string counts(const EvalArmReport& arm) {
  std::string text = std::to_string(arm.passed) + " of " + count(arm.samples, "sample", "samples");
  if (arm.errors > 0) {
    text += ", " + count(arm.errors, "error", "errors");
  }
  return text;
}

void add_arm(
    Table& table, const Page& page, const EvalArmReport& arm, std::string name, Tint tint) {
  table.add({{std::move(name)},
             {arm.rate ? bar(page, *arm.rate) : std::string("nothing is known"),
              arm.rate ? tint : Tint::dim},
             {arm.rate ? percent(*arm.rate) : std::string()},
             {counts(arm), Tint::dim}});
}

void print_tokens(Page& page, const EvalModelReport& model) {
  if (!model.with_skill.tokens.total) {
    return;
  }
  std::string text = "tokens ";
  if (model.baseline && model.baseline->tokens.total) {
    text += std::to_string(*model.baseline->tokens.total) + " " + std::string(page.sign("→", "->"))
            + " ";
  }
  text += std::to_string(*model.with_skill.tokens.total);
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

void print_verdict(Page& page, const EvalModelReport& model) {
  if (!model.lift) {
    return;
  }
  Tint tint = model.verdict == EvalVerdict::better  ? Tint::green
              : model.verdict == EvalVerdict::worse ? Tint::red
                                                    : Tint::yellow;
  std::string text = page.tint(tint, enum_name(model.verdict)) + "  lift "
                     + points(model.lift->value) + ", 95% interval " + points(model.lift->low)
                     + " to " + points(model.lift->high);
  page.line("  " + text);
  if (model.verdict != EvalVerdict::undecided) {
    return;
  }
  std::string why = model.reason;
  if (model.more_cases && *model.more_cases > 0) {
    why += "; needs about " + count(*model.more_cases, "more case", "more cases");
  }
  page.paragraph(why, 4, Tint::dim);
}

void print_samples(Page& page, const EvalModelReport& model) {
  Table table({{"case"}, {"arm"}, {"run", Fit::right}, {""}, {"", Fit::shrinks}});
  for (const EvalSample& sample : model.samples) {
    bool passed = sample.outcome == SampleOutcome::passed;
    std::string why = sample.error;
    for (const EvalCheckReport& check : sample.checks) {
      if (why.empty() && check.outcome == SampleOutcome::failed) {
        why = check.name + ": " + check.evidence;
      }
    }
    table.add({{sample.case_id},
               {std::string(sample.arm == EvalArm::with_skill ? "with skill" : "baseline")},
               {std::to_string(sample.run)},
               {std::string(enum_name(sample.outcome)),
                passed                                    ? Tint::green
                : sample.outcome == SampleOutcome::failed ? Tint::red
                                                          : Tint::yellow},
               {passed ? std::string() : why, Tint::dim}});
  }
  if (!table.empty()) {
    page.line();
    table.print(page, 2);
  }
}

} // namespace

void show(Page& page, const Invocation&, const EvalResult& result) {
  page.headline(result.skill,
                "  " + count(result.cases, "case", "cases") + ", "
                    + count(result.runs, "run", "runs"));
  for (const EvalModelReport& model : result.models) {
    page.line();
    page.line(page.tint(Tint::bold, clean_line(model.model))
              + page.tint(Tint::dim, "  student `" + clean_line(model.student) + "`"));
    Table table({{""}, {""}, {"", Fit::right}, {""}});
    if (model.baseline) {
      add_arm(table, page, *model.baseline, "baseline", Tint::plain);
    }
    add_arm(table, page, model.with_skill, "with skill", Tint::cyan);
    table.print(page, 2);
    print_verdict(page, model);
    print_tokens(page, model);
    print_samples(page, model);
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

} // namespace upskill::cli
