#include "clients/cli/eval_parts.h"
#include "clients/cli/render.h"
#include "clients/cli/text.h"
#include "clients/cli/watch_parts.h"

namespace upskill::cli {
namespace {

// "a/pdf, renamed from a/doc: name, body".
std::string what_happened(const ChangedSkillReport& skill) {
  std::string text = skill.path.empty() ? std::string(".") : clean_line(skill.path);
  switch (skill.fate) {
  case SkillFate::changed:
    break;
  case SkillFate::added:
    text += ", new";
    break;
  case SkillFate::removed:
    text += ", removed";
    break;
  case SkillFate::renamed:
    text += ", renamed from " + clean_line(skill.from);
    break;
  }
  return text + (skill.changed.empty() ? "" : ": " + joined(skill.changed));
}

void print_skill(Page& page, const ChangedSkillReport& skill, bool is_plan) {
  std::string line = page.tint(Tint::bold, clean_line(skill.skill));
  if (skill.fate != SkillFate::removed && !is_plan) {
    line += "  " + page.tint(tint_of(skill.verdict), std::string(enum_name(skill.verdict)));
  }
  page.line(line);
  page.paragraph(what_happened(skill), 2, Tint::dim);
  if (is_plan && skill.planned > 0) {
    page.line("  At most " + count(skill.planned, "sample", "samples") + " would be drawn");
  }
  if (!skill.why.empty()) {
    page.paragraph(skill.why, 2);
  }
  if (!is_plan) {
    print_subjects(page, skill.subjects, 2, skill.fate == SkillFate::added ? "Without" : "Base");
  }
  for (const std::string& fault : skill.faults) {
    page.paragraph("New since the base: " + fault, 2, Tint::red);
  }
  for (const std::string& problem : skill.problems) {
    page.warning(problem);
  }
}

} // namespace

void show(Page& page, const Invocation&, const EvalChangedResult& result) {
  page.line("Since " + clean_line(result.base) + " (" + clean_line(result.commit.substr(0, 12))
            + "): "
            + (result.skills.empty() ? std::string("no skill was touched")
                                     : count(static_cast<std::int64_t>(result.skills.size()),
                                             "skill was touched",
                                             "skills were touched")));
  for (const ChangedSkillReport& skill : result.skills) {
    page.line();
    print_skill(page, skill, result.dry_run);
  }
  if (!result.skills.empty()) {
    page.line();
  }
  if (result.dry_run) {
    page.line("At most " + count(result.planned, "sample", "samples") + " would be drawn");
  } else {
    std::string spent = count(result.asked, "question was asked", "questions were asked");
    std::string cost = spent_of(0, result.cost);
    page.line(page.tint(Tint::dim, spent + (cost.empty() ? "" : ", " + cost)));
  }
  for (const std::string& file : result.files) {
    page.line(page.tint(Tint::dim, "Written: " + clean_line(file)));
  }
  if (!result.stopped.empty()) {
    page.warning("ended early: " + result.stopped);
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
  if (!result.failed.empty()) {
    page.paragraph("The answer is no: " + result.failed, 0, Tint::red);
  }
}

} // namespace upskill::cli
