#include "clients/cli/bars.h"
#include "clients/cli/eval_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

namespace upskill::cli {
namespace {

void add_arm(
    Table& table, const Page& page, const EvalArmReport& arm, std::string name, Tint tint) {
  table.add({{std::move(name)},
             {arm.rate ? bar(page, *arm.rate) : std::string("nothing is known"),
              arm.rate ? tint : Tint::dim},
             {arm.rate ? percent(*arm.rate) : std::string()},
             {counts_of(arm), Tint::dim}});
}

void print_verdict(Page& page, const EvalModelReport& model) {
  if (!model.lift) {
    return;
  }
  page.line("  " + page.tint(tint_of(model.verdict), enum_name(model.verdict)) + "  lift "
            + points(model.lift->value) + ", 95% interval " + interval_of(*model.lift));
  page.paragraph(why_of(model), 4, Tint::dim);
}

void print_trigger(Page& page, const EvalTrigger& trigger) {
  page.line("  trigger  " + trigger_of(trigger));
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

// "2.8/3", as upskill shows its assertions.
std::string checks_of(const EvalArmReport& arm) {
  if (!arm.checks || !arm.checks_passed) {
    return "-";
  }
  char text[64];
  std::snprintf(text, sizeof text, "%.1f/%.3g", *arm.checks_passed, *arm.checks);
  return text;
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
    table.add({{name_of(result.models, model)},
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
  page.headline(clean_line(result.skill),
                "  " + count(result.cases, "case", "cases") + ", "
                    + count(result.runs, "run", "runs"));
  print_source(page, result.config);
  page.line(page.tint(Tint::dim, "Resolved model plan:"));
  for (const EvalModelReport& model : result.models) {
    std::string what = model.resolved.empty() ? std::string("its own") : clean_line(model.resolved);
    page.line(page.tint(Tint::dim, "  " + clean_line(name_of(result.models, model)) + ": " + what));
  }
  if (!result.against.empty()) {
    page.line(page.tint(Tint::dim, "other: " + page.path(result.against)));
  }
}

void print_foot(Page& page, const EvalResult& result) {
  std::string text = spent_of(result.cached, result.cost);
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
