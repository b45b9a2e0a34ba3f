#include "clients/cli/bars.h"
#include "clients/cli/draft_parts.h"
#include "clients/cli/eval_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>
#include <cmath>

namespace upskill::cli {
namespace {

constexpr std::string_view k_teacher = "teacher";
constexpr std::string_view k_student = "student";

bool is_saved(const GenerateResult& result) {
  return result.outcome == GenerateOutcome::saved || result.outcome == GenerateOutcome::kept_anyway
         || result.outcome == GenerateOutcome::unevaluated;
}

// Who has this role, as they were named: "haiku, kimi"; `otherwise` where nobody is told.
std::string who_is(const GenerateResult& result, std::string_view role, std::string otherwise) {
  std::vector<std::string> names;
  for (const GenerateRole& one : result.roles) {
    if (one.role == role) {
      names.push_back(one.model);
    }
  }
  return names.empty() ? otherwise : clean_line(joined(names));
}

void print_head(Page& page, const GenerateResult& result) {
  print_source(page, result.config);
  page.line(page.tint(Tint::dim, "Resolved model plan:"));
  for (const GenerateRole& one : result.roles) {
    std::string text = "  " + clean_line(one.role) + ": " + clean_line(one.model);
    if (!one.resolved.empty() && one.resolved != one.model) {
      text += ", " + clean_line(one.resolved);
    }
    page.line(page.tint(Tint::dim, text));
  }
  if (!result.improves.empty()) {
    page.line(page.tint(Tint::dim, "Improves " + page.local_path(result.improves)));
  }
}

// A line for each session: what of it the teacher read.
void print_evidence(Page& page, const GenerateResult& result) {
  for (const GenerateEvidence& one : result.evidence) {
    const TraceCounts& counts = one.counts;
    std::string text = "Evidence " + one.name + ": ~" + count(one.tokens, "token", "tokens") + ", "
                       + count(counts.errors, "error", "errors") + ", "
                       + count(counts.corrections, "correction", "corrections") + "; "
                       + grouped(counts.left_out) + " of " + count(counts.events, "event", "events")
                       + " left out";
    if (counts.redacted > 0) {
      text += ", " + count(counts.redacted, "secret", "secrets") + " removed";
    }
    if (one.held_out_beats > 0) {
      text += ", " + count(one.held_out_beats, "part", "parts") + " only for test cases";
    }
    page.paragraph(text, 0, Tint::dim);
  }
}

// "60% -> 95% (+35%) OK": a loss is as visible as a gain.
std::string change_of(const Page& page, double before, double after) {
  long change = std::lround((after - before) * 100);
  std::string text =
      percent(before) + " -> " + percent(after) + " (" + points(after - before) + ")";
  return text + " "
         + (change > 0   ? page.tint(Tint::green, "OK")
            : change < 0 ? page.tint(Tint::red, "LOSS")
                         : page.tint(Tint::yellow, "no gain"));
}

void print_attempt(Page& page, const GenerateResult& result, const GenerateAttempt& attempt) {
  bool has_candidates = std::ranges::any_of(
      result.attempts, [](const GenerateAttempt& one) { return one.candidate > 1; });
  std::string place =
      "("
      + (has_candidates ? "candidate " + std::to_string(attempt.candidate) + ", " : std::string())
      + "attempt " + std::to_string(attempt.attempt) + ")";
  if (!attempt.problem.empty()) {
    page.paragraph("no draft " + place + ": " + attempt.problem, 2, Tint::yellow);
    return;
  }
  std::string chosen;
  if (attempt.chosen && result.attempts.size() > 1) {
    chosen = page.tint(Tint::dim, ", chosen");
  }
  if (attempt.with_skill) {
    page.line("Evaluating on " + who_is(result, k_student, "students") + "... " + place);
    page.line("  "
              + (attempt.baseline ? change_of(page, *attempt.baseline, *attempt.with_skill)
                                  : percent(*attempt.with_skill))
              + chosen);
  } else {
    page.line("  draft " + place + page.tint(Tint::dim, ", not evaluated") + chosen);
  }
  if (attempt.held_out && attempt.held_out_baseline) {
    page.line("  held out: " + change_of(page, *attempt.held_out_baseline, *attempt.held_out));
  }
  print_document(page, attempt.document);
}

// What was done, in the order of upskill's walk-through; rates are those of the train cases.
void print_story(Page& page, const GenerateResult& result) {
  std::string teacher = who_is(result, k_teacher, "the teacher");
  page.line("Generating skill with " + teacher + "...");
  std::int64_t cases = result.train_cases + result.held_out_cases;
  if (cases > 0) {
    page.line("Generating test cases...");
    page.line("  " + count(cases, "case", "cases") + ": " + grouped(result.train_cases)
              + " to refine by, " + grouped(result.held_out_cases) + " held out");
  }
  for (const GenerateAttempt& attempt : result.attempts) {
    if (attempt.refined) {
      page.line("Refining skill with " + teacher + "...");
    }
    print_attempt(page, result, attempt);
  }
}

void print_skill(Page& page, const GenerateResult& result) {
  if (result.skill.empty()) {
    return;
  }
  page.line();
  page.headline(clean_line(result.skill), is_saved(result) ? "" : "  a draft that was not saved");
  page.paragraph(result.description);
  if (is_saved(result)) {
    print_files(page, result.files);
  } else {
    print_document(page, result.document);
  }
}

std::string tokens_in_both(const Page& page, const EvalModelReport& model) {
  std::string after = tokens_of(model.with_skill);
  return model.baseline
             ? tokens_of(*model.baseline) + " " + std::string(page.sign("→", "->")) + " " + after
             : after;
}

void add_arm(Table& table,
             const Page& page,
             const EvalArmReport& arm,
             std::string name,
             const std::optional<EvalLift>& lift) {
  Tint tint = lift ? Tint::cyan : Tint::plain;
  table.add({{std::move(name)},
             {arm.rate ? bar(page, *arm.rate) : std::string("nothing is known"),
              arm.rate ? tint : Tint::dim},
             {arm.rate ? percent(*arm.rate) : std::string()},
             {lift ? "(" + points(lift->value) + ")" : std::string(),
              lift && lift->value < 0 ? Tint::red : Tint::plain},
             {counts_of(arm), Tint::dim}});
}

// One student on the cases that no draft has seen.
void print_student(Page& page, const GenerateResult& result, const EvalModelReport& model) {
  page.line();
  page.line(page.tint(Tint::bold, clean_line(model.model.empty() ? model.student : model.model))
            + page.tint(Tint::dim, "  student `" + clean_line(model.student) + "`"));
  Table table({{""}, {"", Fit::shrinks}, {"", Fit::right}, {""}, {"", Fit::shrinks}});
  if (model.baseline) {
    add_arm(table, page, *model.baseline, "baseline", {});
  }
  add_arm(table, page, model.with_skill, "with skill", model.lift);
  table.print(page, 2);
  if (model.lift) {
    std::string cases = count(result.held_out_cases, "held-out case", "held-out cases");
    page.line("  " + page.tint(tint_of(model.verdict), enum_name(model.verdict)) + " on " + cases
              + ", 95% interval " + interval_of(*model.lift));
    page.paragraph(why_of(model), 4, Tint::dim);
  }
  print_tokens(page, model);
  if (!model.error.empty()) {
    page.paragraph("first error: " + model.error, 2, Tint::yellow);
  }
}

void print_students(Page& page, const GenerateResult& result) {
  for (const EvalModelReport& model : result.models) {
    print_student(page, result, model);
  }
  if (result.models.size() < 2) {
    return;
  }
  Table table({{"Student", Fit::shrinks},
               {"Baseline", Fit::right},
               {"With Skill", Fit::right},
               {"Lift", Fit::right},
               {"Verdict"},
               {"Tokens", Fit::right}});
  for (const EvalModelReport& model : result.models) {
    table.add({{name_of(result.models, model)},
               {model.baseline ? rate_of(*model.baseline) : std::string("-")},
               {rate_of(model.with_skill)},
               {model.lift ? points(model.lift->value) : std::string("-")},
               {model.lift ? std::string(enum_name(model.verdict)) : std::string("-"),
                tint_of(model.verdict)},
               {tokens_in_both(page, model)}});
  }
  page.line();
  table.print(page);
}

void print_triggers(Page& page, const GenerateTriggers& triggers) {
  page.line();
  page.line("Picked when it should be, on " + count(triggers.held_out, "query", "queries")
            + " held out; tuned by " + count(triggers.train, "query", "queries"));
  page.line("  before  " + trigger_of(triggers.before));
  page.line("  after   " + trigger_of(triggers.after)
            + (triggers.changed ? "" : page.tint(Tint::dim, "; the description stays")));
  page.paragraph(triggers.why, 2, Tint::dim);
}

// What to do where nothing was saved.
std::string advice(const GenerateResult& result) {
  switch (result.outcome) {
  case GenerateOutcome::not_better:
    return "`--cases` with more of them may decide it, `--from SESSION` shows the teacher how it "
           "is "
           "done, `--keep-anyway` saves it all the same";
  case GenerateOutcome::worse:
    return "`--from SESSION` shows the teacher how it is done, `--model` has another one write it, "
           "`--keep-anyway` saves it all the same";
  case GenerateOutcome::not_warranted:
    return "`--example` and `--from SESSION` show what goes wrong, `--eval-model` names a student "
           "that has something to learn";
  case GenerateOutcome::undecidable:
    return "`--cases` asks for more test cases, `--example` shows what they are like, `--no-eval` "
           "saves it without a test";
  case GenerateOutcome::stopped:
    return "what models answered is kept: the same command with a larger budget goes on from there";
  default:
    return {};
  }
}

void print_saved(Page& page, const GenerateResult& result) {
  std::string where = "Saved to " + page.local_path(result.saved);
  if (result.outcome == GenerateOutcome::saved) {
    page.line(page.tint(Tint::green, where));
  } else if (result.outcome == GenerateOutcome::unevaluated) {
    page.line(page.tint(Tint::yellow, where) + ", without a test: nothing says that it helps");
  } else {
    page.line(page.tint(Tint::yellow, where) + " all the same");
    page.paragraph(result.why, 2, Tint::yellow);
  }
  if (!result.replaced.empty()) {
    page.line("The version before lies in " + page.local_path(result.replaced));
  }
  if (!result.replaced.empty() && result.synced) {
    page.paragraph("Sync carries it to the other agents: `upskill sync log` lists the change, "
                   "`upskill sync undo ID` takes it back everywhere");
  }
}

void print_foot(Page& page, const GenerateResult& result) {
  page.line();
  if (std::string spent = spent_of(result.cached, result.cost); !spent.empty()) {
    page.line(page.tint(Tint::dim, spent));
  }
  if (!result.logs.empty()) {
    page.line(page.tint(Tint::dim, "Runs logged to ") + page.local_path(result.logs));
  }
  if (is_saved(result)) {
    print_saved(page, result);
  } else {
    page.paragraph("Not saved: " + (result.why.empty() ? result.failed : result.why), 0, Tint::red);
    page.paragraph(advice(result), 2, Tint::dim);
  }
  if (!result.stopped.empty() && result.outcome != GenerateOutcome::stopped) {
    page.warning("it ended before its last sample: " + result.stopped);
  }
  if (result.scripted) {
    page.warning("a script answered in place of a model");
  }
}

// What would be done, of a dry run.
void print_plan(Page& page, const GenerateResult& result) {
  std::string cases = count(result.train_cases + result.held_out_cases, "test case", "test cases");
  auto tell = [&](std::string_view role, const std::string& what) {
    if (std::string who = who_is(result, role, ""); !who.empty()) {
      page.line("  " + page.tint(Tint::bold, who) + " " + what);
    }
  };
  page.line("Would be asked:");
  tell(k_teacher, "to write the skill, and to refine it by what fails");
  tell("test cases",
       "to write " + cases + ", " + grouped(result.held_out_cases) + " of them held out");
  tell(k_student,
       "to solve each case " + count(result.runs, "time", "times")
           + " with the skill, and as often without it");
  tell("judge", "to grade what no program can");
  tell("counterexamples", "for cases on which the skill hurts");
  tell("trigger queries", "for messages that should pick the skill, and near misses");
  page.line((result.asked > 0 ? "At most " + count(result.asked, "call", "calls") + " to models"
                              : std::string("Nothing was sent"))
            + "; nothing was asked, and nothing written");
  if (!result.saved.empty()) {
    page.line("Would be saved to " + page.local_path(result.saved));
  }
}

} // namespace

void show(Page& page, const Invocation&, const GenerateResult& result) {
  print_head(page, result);
  print_evidence(page, result);
  if (result.outcome == GenerateOutcome::planned) {
    print_plan(page, result);
  } else {
    print_story(page, result);
    print_skill(page, result);
    print_students(page, result);
    if (result.triggers) {
      print_triggers(page, *result.triggers);
    }
    print_foot(page, result);
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

} // namespace upskill::cli
