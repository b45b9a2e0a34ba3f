#include "clients/cli/bars.h"
#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

namespace upskill::cli {
namespace {

std::string dollars(double cost) {
  char text[32];
  std::snprintf(text, sizeof text, cost > 0 && cost < 0.01 ? "$%.4f" : "$%.2f", cost);
  return text;
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

// In the mean of a sample: the arms may have different numbers of them.
std::string tokens_of(const EvalArmReport& arm) {
  bool is_known = arm.tokens.total && arm.samples > 0;
  return is_known ? grouped(*arm.tokens.total / arm.samples) : std::string("unknown");
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

std::string interval_of(const EvalLift& lift) {
  return points(lift.low) + " to " + points(lift.high);
}

void print_verdict(Page& page, const EvalModelReport& model) {
  if (!model.lift) {
    return;
  }
  page.line("  " + page.tint(tint_of(model.verdict), enum_name(model.verdict)) + "  lift "
            + points(model.lift->value) + ", 95% interval " + interval_of(*model.lift));
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
  page.paragraph(why, 4, Tint::dim);
}

void print_trigger(Page& page, const EvalTrigger& trigger) {
  auto share = [](const std::optional<EvalShare>& of) {
    return of ? percent(of->value) + " [" + percent(of->low) + ", " + percent(of->high) + "]"
              : std::string("unknown");
  };
  page.line("  trigger  precision " + share(trigger.precision) + ", recall " + share(trigger.recall)
            + (trigger.f1 ? ", F1 " + percent(*trigger.f1) : std::string()));
  if (trigger.unknown > 0) {
    page.line(
        "  "
        + page.tint(Tint::dim, count(trigger.unknown, "sample does", "samples do") + " not tell"));
  }
}

// By case, so that its two arms stand together whatever the order was in which they were asked.
std::vector<const EvalSample*> by_case(const EvalModelReport& model) {
  std::map<std::string_view, std::size_t> places;
  for (const EvalCaseReport& one : model.cases) {
    places.emplace(one.case_id, places.size());
  }
  std::vector<const EvalSample*> samples;
  for (const EvalSample& sample : model.samples) {
    samples.push_back(&sample);
  }
  std::ranges::sort(samples, {}, [&](const EvalSample* sample) {
    auto place = places.find(sample->case_id);
    return std::tuple(place == places.end() ? places.size() : place->second,
                      sample->arm == EvalArm::with_skill,
                      sample->run);
  });
  return samples;
}

void print_samples(Page& page, const EvalModelReport& model) {
  Table table({{"case"}, {"arm"}, {"run", Fit::right}, {""}, {"", Fit::shrinks}});
  for (const EvalSample* sample : by_case(model)) {
    bool passed = sample->outcome == SampleOutcome::passed;
    std::string why = sample->error;
    for (const EvalCheckReport& check : sample->checks) {
      if (why.empty() && check.outcome == SampleOutcome::failed) {
        why = check.name + ": " + check.evidence;
      }
    }
    table.add({{sample->case_id},
               {std::string(sample->arm == EvalArm::with_skill ? "with skill" : "baseline")},
               {std::to_string(sample->run)},
               {std::string(enum_name(sample->outcome)),
                passed                                     ? Tint::green
                : sample->outcome == SampleOutcome::failed ? Tint::red
                                                           : Tint::yellow},
               {passed ? std::string() : why, Tint::dim}});
  }
  if (!table.empty()) {
    page.line();
    table.print(page, 2);
  }
}

std::string rate_of(const EvalArmReport& arm) {
  return arm.rate ? percent(*arm.rate) : std::string("-");
}

// "2.8/3", as upskill shows its assertions.
std::string checks_of(const EvalArmReport& arm) {
  if (!arm.checks || !arm.checks_passed) {
    return "-";
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.1f/%.3g", *arm.checks_passed, *arm.checks);
  return text;
}

std::string name_of(const EvalResult& result, const EvalModelReport& model) {
  std::set<std::string_view> students;
  std::set<std::string_view> models;
  for (const EvalModelReport& one : result.models) {
    students.insert(one.student);
    models.insert(one.model);
  }
  if (model.model.empty() || (models.size() < 2 && students.size() > 1)) {
    return model.student; // the model is the same in every row
  }
  return students.size() < 2 ? model.model : model.student + " with " + model.model;
}

// Several models or students are compared at one look.
void print_models(Page& page, const EvalResult& result) {
  Table table({{"Model", Fit::shrinks},
               {"Baseline", Fit::right},
               {"Pass Rate", Fit::right},
               {"Lift", Fit::right},
               {"Verdict"},
               {"Avg Assertions", Fit::right},
               {"Avg Tokens", Fit::right}});
  for (const EvalModelReport& model : result.models) {
    const EvalArmReport& arm = model.with_skill;
    std::string rate =
        std::to_string(arm.passed) + "/" + std::to_string(arm.samples) + " (" + rate_of(arm) + ")";
    table.add({{name_of(result, model)},
               {model.baseline ? rate_of(*model.baseline) : std::string("-")},
               {arm.rate ? rate : std::string("-")},
               {model.lift ? points(model.lift->value) : std::string("-")},
               {model.lift ? std::string(enum_name(model.verdict)) : std::string("-"),
                tint_of(model.verdict)},
               {checks_of(arm)},
               {arm.tokens.total ? tokens_of(arm) : std::string("-")}});
  }
  page.line();
  table.print(page);
}

void print_combinations(Page& page, const EvalResult& result) {
  auto shown = [](const std::optional<EvalLift>& lift) {
    return lift ? points(lift->value) + " [" + interval_of(*lift) + "]" : std::string();
  };
  // Names are long and alike, so each has a number.
  std::vector<std::string> skills;
  for (const EvalCombination& one : result.combinations) {
    for (const std::string& skill : one.skills) {
      if (std::ranges::find(skills, skill) == skills.end()) {
        skills.push_back(skill);
      }
    }
  }
  page.line();
  for (std::size_t i = 0; i < skills.size(); ++i) {
    page.line("  " + std::to_string(i + 1) + "  " + clean_line(skills[i]));
  }
  auto numbers = [&](const std::vector<std::string>& of) {
    std::string text;
    for (std::size_t i = 0; i < skills.size(); ++i) {
      if (std::ranges::find(of, skills[i]) != of.end()) {
        text += (text.empty() ? "" : " + ") + std::to_string(i + 1);
      }
    }
    return text.empty() ? std::string("none") : text;
  };
  Table table({{"Model", Fit::shrinks},
               {"Skills"},
               {"Pass Rate", Fit::right},
               {"Against none"},
               {"Against all"}});
  for (const EvalCombination& one : result.combinations) {
    table.add({{one.model},
               {numbers(one.skills)},
               {rate_of(one.arm)},
               {shown(one.lift)},
               {shown(one.without_it)}});
  }
  page.line();
  table.print(page);
}

void print_model(Page& page, const EvalResult& result, const EvalModelReport& model) {
  page.line();
  page.line(page.tint(Tint::bold, clean_line(model.model.empty() ? model.student : model.model))
            + page.tint(Tint::dim, "  student `" + clean_line(model.student) + "`"));
  Table table({{""}, {"", Fit::shrinks}, {"", Fit::right}, {"", Fit::shrinks}});
  if (model.baseline) {
    add_arm(
        table, page, *model.baseline, result.against.empty() ? "baseline" : "other", Tint::plain);
  }
  add_arm(table, page, model.with_skill, "with skill", Tint::cyan);
  table.print(page, 2);
  print_verdict(page, model);
  print_tokens(page, model);
  if (model.trigger) {
    print_trigger(page, *model.trigger);
  }
  if (!model.error.empty()) {
    page.paragraph("first error: " + model.error, 2, Tint::yellow);
  }
  print_samples(page, model);
}

void print_head(Page& page, const EvalResult& result) {
  page.headline(result.skill,
                "  " + count(result.cases, "case", "cases") + ", "
                    + count(result.runs, "run", "runs"));
  std::string source = result.config.empty() ? std::string("defaults") : page.path(result.config);
  page.line(page.tint(Tint::dim, "Config source: " + source));
  page.line(page.tint(Tint::dim, "Resolved model plan:"));
  for (const EvalModelReport& model : result.models) {
    std::string what = model.resolved.empty() ? std::string("its own") : clean_line(model.resolved);
    page.line(page.tint(Tint::dim, "  " + clean_line(name_of(result, model)) + ": " + what));
  }
  if (!result.against.empty()) {
    page.line(page.tint(Tint::dim, "other: " + page.path(result.against)));
  }
}

void print_foot(Page& page, const EvalResult& result) {
  std::string text;
  if (result.cached > 0) {
    text += count(result.cached, "answer", "answers") + " known from before";
  }
  if (result.cost && *result.cost > 0) {
    text += (text.empty() ? "" : ", ") + dollars(*result.cost) + " spent now";
  }
  if (!text.empty() || !result.logs.empty() || !result.files.empty()) {
    page.line();
  }
  if (!text.empty()) {
    page.line(page.tint(Tint::dim, text));
  }
  if (!result.logs.empty()) {
    page.line(page.tint(Tint::dim, "Runs logged to ") + page.path(result.logs));
  }
  for (const std::string& file : result.files) {
    page.line(page.tint(Tint::dim, "Wrote ") + page.path(file));
  }
  if (!result.stopped.empty()) {
    page.warning("it ended before its last sample: " + result.stopped);
  }
  if (result.scripted) {
    page.warning("a script answered in place of a model");
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
  if (!result.failed.empty()) {
    page.line(page.tint(Tint::red, clean_line(result.failed)));
  }
}

} // namespace

void show(Page& page, const Invocation&, const EvalResult& result) {
  print_head(page, result);
  for (const EvalModelReport& model : result.models) {
    print_model(page, result, model);
  }
  if (result.models.size() > 1) {
    print_models(page, result);
  }
  if (!result.combinations.empty()) {
    print_combinations(page, result);
  }
  print_foot(page, result);
}

} // namespace upskill::cli
