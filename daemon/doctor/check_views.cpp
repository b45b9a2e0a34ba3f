#include "daemon/doctor/checks.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "skills/document/loaders.h"
#include "skills/document/reference_folder.h"
#include "skills/library/document_file.h"
#include "skills/library/folder.h"

#include <fcntl.h>

#include <algorithm>
#include <map>
#include <set>

namespace upskill::doctor {
namespace {

constexpr std::size_t k_max_document = 4u << 20; // bytes; larger ones are judged by nobody
constexpr std::size_t k_named = 3;               // skills that a sentence names

// Tells what an agent's loader does with a skill, each SKILL.md read and judged once for all
// agents.
class Judgement {
public:
  explicit Judgement(const std::stop_token& stopping)
      : m_stopping(stopping) {}

  LoaderReport operator()(const agents::Agent& agent, const std::string& folder) {
    for (const LoaderReport& report : odd_reports(folder)) {
      if (report.loader == agent.title) {
        if (report.verdict == LoaderVerdict::skipped) {
          m_skipped[{folder, report.reason}].push_back(agent.title);
        }
        return report;
      }
    }
    return {agent.title, LoaderVerdict::valid, {}};
  }

  // Loaders by folder and reason.
  using Skipped = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

  const Skipped& skipped() const { return m_skipped; }

private:
  // Those that are not `valid`: of most skills there is none.
  const std::vector<LoaderReport>& odd_reports(const std::string& folder) {
    auto [at, is_new] = m_odd.try_emplace(folder);
    if (is_new && !m_stopping.stop_requested()) {
      std::optional<std::string> bytes = read(folder);
      if (bytes) {
        at->second = document::report_loaders(*bytes, base_name(folder));
        std::erase_if(at->second, [](const LoaderReport& report) {
          return report.verdict == LoaderVerdict::valid;
        });
      }
    }
    return at->second;
  }

  static std::optional<std::string> read(const std::string& folder) {
    std::optional<std::string> path = document::find_skill_file(folder);
    Result<std::string> bytes =
        path ? read_file(*path, k_max_document) : fail(ErrorCode::not_found, "no file");
    return bytes ? std::optional(std::move(*bytes)) : std::nullopt;
  }

  const std::stop_token& m_stopping;
  std::map<std::string, std::vector<LoaderReport>> m_odd;
  Skipped m_skipped;
};

void report_skipped(const Judgement::Skipped& skipped, Findings& findings) {
  for (const auto& [what, loaders] : skipped) {
    std::string who;
    for (std::size_t i = 0; i < loaders.size(); ++i) {
      if (std::ranges::find(
              loaders.begin(), loaders.begin() + static_cast<std::ptrdiff_t>(i), loaders[i])
          == loaders.begin() + static_cast<std::ptrdiff_t>(i)) {
        who += (who.empty() ? "" : ", ") + loaders[i];
      }
    }
    findings.add(FindingLevel::warning,
                 "skills",
                 "`" + what.first + "` is skipped by " + who + ": " + what.second,
                 "`upskill validate " + what.first + "` tells what to mend");
  }
}

std::string how_to_avoid(const agents::Agent& agent) {
  if (agent.id == "cursor") {
    return "switch off the import of third-party folders in Cursor's settings, or keep the skill "
           "in one of the folders that it reads";
  }
  return "keep one copy in the folders that " + agent.title
         + " reads; `upskill agents` shows them, and the policy `cover` makes no more than it must";
}

void report_duplicates(const agents::Agent& agent, const AgentView& view, Findings& findings) {
  std::string named;
  std::size_t many = 0;
  for (const ListedSkill& skill : view.lists) {
    if (skill.times > 1 && ++many <= k_named) {
      named += (named.empty() ? "`" : ", `") + skill.skill + "`";
    }
  }
  if (many > 0) {
    findings.add(FindingLevel::info,
                 "duplicates",
                 agent.title + " will list " + std::to_string(many)
                     + (many == 1 ? " skill" : " skills") + " more than once: " + named
                     + (many > k_named ? ", ..." : ""),
                 how_to_avoid(agent));
  }
}

} // namespace

std::vector<AgentView>
check_views(const Sight& sight, Findings& findings, const std::stop_token& stopping) {
  std::vector<library::ListedRoot> listed;
  for (std::size_t i = 0; i < sight.roots.size(); ++i) {
    listed.push_back({&sight.roots[i], &sight.listings[i]});
  }
  Judgement judgement(stopping);
  std::vector<AgentView> views =
      library::agent_views(sight.agents, sight.folders, listed, std::ref(judgement));
  report_skipped(judgement.skipped(), findings);
  for (std::size_t i = 0; i < views.size(); ++i) {
    report_duplicates(*sight.agents[i], views[i], findings);
  }
  return views;
}

} // namespace upskill::doctor
