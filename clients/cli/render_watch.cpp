#include "clients/cli/eval_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"
#include "clients/cli/watch_parts.h"

namespace upskill::cli {
namespace {

// What is going on, where that is more than a verdict.
std::string doing(const WatchedSkill& skill) {
  switch (skill.state) {
  case WatchState::looking:
    return "is looked at";
  case WatchState::testing:
    return "is being tested";
  case WatchState::waiting:
    return "waits for a word, because going on may cost. `upskill watch run "
           + clean_line(skill.skill) + "` goes on";
  case WatchState::gone:
    return "is not there any more";
  case WatchState::idle:
    break;
  }
  return {};
}

void print_skill(Page& page, const WatchedSkill& skill) {
  std::string name = clean_line(skill.skill);
  const bool is_edited = word_of(skill) == "edited"; // there is no verdict
  std::string verdict(is_edited ? word_of(skill) : enum_name(skill.verdict));
  page.line(page.tint(Tint::bold, name) + "  "
            + page.tint(is_edited ? tint_of(skill) : tint_of(skill.verdict), verdict)
            + (skill.at.empty() ? "" : page.tint(Tint::dim, "  " + human_time(skill.at))));
  if (!skill.why.empty()) {
    page.paragraph(skill.why, 2);
  }
  if (std::string what = doing(skill); !what.empty()) {
    page.paragraph("It " + what, 2);
  }
  if (!skill.changed.empty()) {
    page.paragraph("Changed since it was accepted: " + joined(skill.changed), 2, Tint::dim);
  }
  print_subjects(page, skill.subjects, 2);
  for (const WatchedSubject& one : skill.subjects) {
    if (one.estimate) {
      page.paragraph(estimate_of(*one.estimate), 2);
    }
    if (!one.never_asked.empty()) {
      page.paragraph("The accepted version was never asked: " + joined(one.never_asked)
                         + ". They decide nothing until `upskill eval accept`.",
                     2);
    }
  }
  for (const std::string& gain : skill.gains) {
    page.paragraph("New: " + gain, 2, Tint::yellow);
  }
  for (const std::string& problem : skill.problems) {
    page.warning(problem);
  }
}

} // namespace

void show(Page& page, const Invocation&, const EvalAcceptResult& result) {
  page.line(page.tint(Tint::bold, clean_line(result.skill))
            + (result.dry_run ? " would be accepted" : " is accepted") + " as "
            + clean_line(result.hash.substr(0, 12)));
  if (result.dry_run) {
    page.line("At most " + count(result.planned, "sample", "samples") + " would be drawn");
  }
  Table table({{"Model", Fit::shrinks},
               {"Measure"},
               {"Cases", Fit::right},
               {"Samples", Fit::right},
               {"Pass Rate", Fit::right},
               {"95%"}});
  for (const AcceptedSubjectReport& one : result.subjects) {
    table.add({{who_of(one.model, one.student)},
               {std::string(measure_word(one.measure))},
               {std::to_string(one.cases)},
               {std::to_string(one.samples)},
               {share_of(one.rate)},
               {range_of(one.rate)}});
  }
  if (!table.empty()) {
    page.line();
    table.print(page);
  }
  for (const AcceptedSubjectReport& one : result.subjects) {
    if (!one.flaky.empty()) {
      page.paragraph("Flaky, so later versions are not held to them: " + joined(one.flaky));
    }
    if (one.errors > 0) {
      page.warning(count(one.errors, "answer", "answers") + " could not be had");
    }
  }
  if (!result.dry_run) {
    page.line();
    page.paragraph("Later versions are held against it (mode `" + result.mode
                   + "`); `upskill watch` shows how they do.");
    page.line(page.tint(Tint::dim, spent_of(0, result.cost)));
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation&, const WatchResult& result) {
  if (result.skills.empty() && result.warnings.empty()) {
    page.line("No skill is watched.");
    page.paragraph("`upskill eval accept SKILL` says that a skill is good as it stands; later "
                   "versions are then held against it.",
                   0,
                   Tint::dim);
  }
  for (std::size_t i = 0; i < result.skills.size(); ++i) {
    if (i > 0) {
      page.line();
    }
    print_skill(page, result.skills[i]);
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

} // namespace upskill::cli
