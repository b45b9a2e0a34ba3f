#include "skills/eval/changed_markdown.h"

#include "skills/eval/plain_markdown.h"
#include "skills/eval/report_numbers.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace upskill::eval {
namespace {

constexpr std::size_t k_large = 512u << 10; // bytes
constexpr std::size_t k_most_warnings = 20;

// What people look for comes first.
int rank_of(const ChangedSkillReport& skill) {
  if (skill.verdict == WatchVerdict::regressed || !skill.faults.empty()) {
    return 0;
  }
  return skill.verdict == WatchVerdict::undecided ? 1 : 2;
}

std::string verdict_text(WatchVerdict verdict) {
  switch (verdict) {
  case WatchVerdict::regressed:
    return ":x: **REGRESSED**";
  case WatchVerdict::ok:
    return ":white_check_mark: OK";
  case WatchVerdict::undecided:
    break;
  }
  return ":grey_question: UNDECIDED";
}

std::string what_happened(const ChangedSkillReport& skill) {
  switch (skill.fate) {
  case SkillFate::added:
    return "new";
  case SkillFate::removed:
    return "removed";
  case SkillFate::renamed:
    return "renamed from " + plain_markdown(skill.from);
  case SkillFate::changed:
    break;
  }
  std::string text;
  for (const std::string& part : skill.changed) {
    text += (text.empty() ? "" : ", ") + plain_markdown(part);
  }
  return text.empty() ? "nothing an agent notices" : text;
}

std::string name_of(const WatchedSubject& subject) {
  std::string name = plain_markdown(subject.model.empty() ? subject.student : subject.model);
  if (subject.student != "chat" && !subject.model.empty()) {
    name += " (" + plain_markdown(subject.student) + ")";
  }
  return name + (subject.measure == WatchMeasure::trigger ? ", triggers" : "");
}

std::string row(const ChangedSkillReport& skill, const WatchedSubject* subject) {
  std::string text = "| " + plain_markdown(skill.skill) + " | " + what_happened(skill) + " | ";
  if (subject == nullptr) {
    text += "- | - | - | - | ";
    text += skill.fate == SkillFate::removed ? "removed" : verdict_text(skill.verdict);
    text += skill.why.empty() || skill.fate == SkillFate::removed
                ? ""
                : "<br>" + plain_markdown(skill.why);
    return text + " |\n";
  }
  text += name_of(*subject) + " | ";
  text += (subject->accepted_rate ? as_percent(subject->accepted_rate) : "-") + " | ";
  text +=
      (subject->rate ? as_percent(subject->rate->value) + " \\[" + as_percent(subject->rate->low)
                           + ", " + as_percent(subject->rate->high) + "\\]"
                     : "-");
  text += " | " + as_count(subject->samples) + " | " + verdict_text(subject->verdict);
  text += subject->verdict == WatchVerdict::ok ? "" : "<br>" + plain_markdown(subject->why);
  return text + " |\n";
}

void add_rows(std::string& out, const ChangedSkillReport& skill) {
  if (skill.subjects.empty()) {
    out += row(skill, nullptr);
  }
  for (const WatchedSubject& subject : skill.subjects) {
    out += row(skill, &subject);
  }
}

void add_faults(std::string& out, const std::vector<const ChangedSkillReport*>& skills) {
  bool is_first = true;
  for (const ChangedSkillReport* skill : skills) {
    for (const std::string& fault : skill->faults) {
      if (out.size() > k_large) {
        return;
      }
      out += is_first ? "\n**New faults**, whatever models say:\n\n" : "";
      out += "- " + plain_markdown(skill->skill) + ": " + plain_markdown(fault) + "\n";
      is_first = false;
    }
  }
}

} // namespace

std::string changed_markdown(const EvalChangedResult& result) {
  std::string out = "### Skills changed since " + plain_markdown(result.base) + "\n\n";
  std::vector<const ChangedSkillReport*> skills;
  for (const ChangedSkillReport& skill : result.skills) {
    skills.push_back(&skill);
  }
  std::ranges::sort(
      skills, {}, [](const auto* skill) { return std::pair(rank_of(*skill), skill); });
  if (skills.empty()) {
    out += "No skill was touched.\n";
  } else {
    out += "| skill | change | tested with | base | now (95 % interval) | samples | verdict |\n"
           "|---|---|---|---:|---:|---:|---|\n";
  }
  for (std::size_t i = 0; i < skills.size(); ++i) {
    if (out.size() > k_large) {
      out += "\n" + as_count(static_cast<std::int64_t>(skills.size() - i))
             + " more skills are left out here.\n";
      break;
    }
    add_rows(out, *skills[i]);
  }
  add_faults(out, skills);
  if (!result.failed.empty()) {
    out += "\n**Failed:** " + plain_markdown(result.failed) + "\n";
  }
  if (!result.stopped.empty()) {
    out += "\n**Stopped:** " + plain_markdown(result.stopped) + "\n";
  }
  out += "\nAgainst " + plain_markdown(result.commit.substr(0, 12)) + "; " + as_count(result.asked)
         + (result.asked == 1 ? " question was asked" : " questions were asked")
         + (result.cost ? ", " + as_dollars(result.cost) : "") + ".\n";
  for (std::size_t i = 0; i < result.warnings.size() && i < k_most_warnings; ++i) {
    out += (i == 0 ? "\n" : "") + std::string("- warning: ") + plain_markdown(result.warnings[i])
           + "\n";
  }
  return out;
}

} // namespace upskill::eval
