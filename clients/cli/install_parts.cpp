#include "clients/cli/install_parts.h"

#include "clients/cli/danger_parts.h"
#include "clients/cli/said_again.h"

namespace upskill::cli {

std::string allowance_of(const std::string& skill, const std::string& hash) {
  return shell_word(skill + "@" + brief_hash(hash));
}

std::vector<NextStep>
next_steps(const Invocation& invocation, const InstalledSkill& skill, bool has_several) {
  std::string again =
      said_again(invocation, {"skill", "all", "plan", "dry_run", "as", "replace", "allow"});
  std::string name = shell_word(skill.skill);
  again += has_several ? " --skill " + name : std::string();
  if (skill.state == InstallState::dangerous && !skill.hash.empty()) {
    return {{"Once you have read it and know why:",
             again + " --allow " + allowance_of(skill.skill, skill.hash)}};
  }
  if (skill.state == InstallState::taken) {
    return {{"To have both:", again + " --as " + shell_word(skill.skill + "-2")},
            {"To have this one instead; the other one is kept, and `upskill rollback " + name
                 + "` brings it back:",
             again + " --replace"}};
  }
  return skill.hint.empty() ? std::vector<NextStep>() : std::vector<NextStep>{{skill.hint}};
}

void print_steps(Page& page, const std::vector<NextStep>& steps, std::size_t indent) {
  for (const NextStep& step : steps) {
    page.paragraph(step.text, indent);
    if (!step.command.empty()) {
      page.line(std::string(indent + 2, ' ') + page.tint(Tint::cyan, page.prose(step.command)));
    }
  }
}

} // namespace upskill::cli
