#include "daemon/handlers/install_asking.h"

#include "daemon/handlers/plain_line.h"
#include "protocol/codec/codec.h"

#include <algorithm>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_named = 12; // skills of one kind
constexpr std::size_t k_most_findings = 5;
constexpr std::size_t k_described = 120; // bytes of a description

std::string in_quotes(std::string_view text) {
  return "`" + plain_line(text) + "`";
}

std::string where(const std::string& scope) {
  return scope.empty() || scope == "user" ? std::string(" for all projects")
                                          : " in the project " + in_quotes(scope);
}

std::string more(std::size_t count) {
  return count > k_most_named ? "\n- and " + std::to_string(count - k_most_named) + " more"
                              : std::string();
}

std::string dangers(const std::vector<DangerFinding>& findings) {
  std::string text;
  std::size_t count = 0;
  for (const DangerFinding& finding : findings) {
    if (finding.severity != DangerSeverity::note && ++count <= k_most_findings) {
      text += "\n  - " + plain_line(finding.message) + " (" + plain_line(finding.path, 80)
              + ", line " + std::to_string(finding.line) + ")";
    }
  }
  return text;
}

bool comes(const InstalledSkill& skill) {
  return skill.state == InstallState::installed || skill.state == InstallState::updated;
}

bool comes(const UpdatedSkill& skill) {
  return skill.state == UpdateState::available;
}

} // namespace

std::string question_about(const InstallResult& plan) {
  std::string text = "Install from " + in_quotes(plan.source) + where(plan.scope) + ":";
  std::size_t count = 0;
  for (const InstalledSkill& skill : plan.skills) {
    if (comes(skill) && ++count <= k_most_named) {
      text += "\n- " + in_quotes(skill.skill) + ": " + plain_line(skill.description, k_described)
              + dangers(skill.findings);
    }
  }
  return text + more(count)
         + "\nAgents read what is installed as instructions. `upskill remove` takes it away again.";
}

std::string question_about(const UpdateResult& plan) {
  std::string text = "Update these skills to what their sources have now:";
  std::size_t count = 0;
  for (const UpdatedSkill& skill : plan.skills) {
    if (!comes(skill) || ++count > k_most_named) {
      continue;
    }
    text += "\n- " + in_quotes(skill.skill) + " from " + in_quotes(skill.source)
            + (skill.edited ? ", which was edited here" : "") + dangers(skill.findings);
    for (std::size_t i = 0; i < std::min(skill.gains.size(), k_most_findings); ++i) {
      text += "\n  - new: " + plain_line(skill.gains[i].kind) + " "
              + plain_line(skill.gains[i].what, k_described);
    }
  }
  return text + more(count) + "\n`upskill rollback` brings back what is replaced.";
}

std::string question_about(const RemoveResult& plan) {
  std::string text = "Remove from agents' folders:";
  std::size_t count = 0;
  for (const RemovedSkill& skill : plan.skills) {
    if (++count <= k_most_named) {
      text += "\n- " + in_quotes(skill.skill) + where(skill.scope);
      text += skill.paths.empty() ? "" : ", " + std::to_string(skill.paths.size()) + " folders";
    }
  }
  return text + more(count) + "\n`upskill sync undo` brings them back.";
}

bool changes_something(const InstallResult& plan) {
  return std::ranges::any_of(plan.skills, [](const auto& skill) { return comes(skill); });
}

bool changes_something(const UpdateResult& plan) {
  return std::ranges::any_of(plan.skills, [](const auto& skill) { return comes(skill); });
}

bool changes_something(const RemoveResult& plan) {
  return !plan.skills.empty();
}

Result<void> check_unasked(config::AgentInstall agents, std::string_view command) {
  if (agents == config::AgentInstall::allow) {
    return {};
  }
  return fail(ErrorCode::refused,
              agents == config::AgentInstall::refuse
                  ? "the person lets no agent install, update or remove skills"
                  : "this changes what agents read, and the client cannot ask the person first",
              "`upskill " + std::string(command) + "` does it at a terminal");
}

Error not_confirmed(std::string_view command) {
  return {ErrorCode::refused,
          "the person did not confirm it, so nothing was changed",
          "ask the person what to do; `upskill " + std::string(command)
              + "` does it at a terminal"};
}

AskedAbout AskedAbout::parse(const std::string& state) {
  std::size_t space = state.find(' ');
  if (space == std::string::npos) {
    return {};
  }
  return {state.substr(0, space), state.substr(space + 1)};
}

} // namespace upskill::daemon
