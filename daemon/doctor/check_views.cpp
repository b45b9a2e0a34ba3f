#include "daemon/doctor/checks.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
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

  library::LoadedSkill operator()(const agents::Agent& agent, const std::string& folder) {
    const Judged& judged = judge(folder);
    for (const document::LoaderReading& reading : judged.odd) {
      if (reading.loader == agent.title) {
        if (reading.verdict == LoaderVerdict::skipped) {
          m_skipped[{folder, reading.reason}].push_back(agent.title);
        }
        return {reading, reading.name};
      }
    }
    return {{agent.title, LoaderVerdict::valid, {}}, judged.name};
  }

  // The folders of different skills that say they have this name; empty where there is but one.
  std::vector<std::string> namesakes(const std::string& name) const {
    auto found = m_folders.find(name);
    return found == m_folders.end() || found->second.size() < 2
               ? std::vector<std::string>()
               : std::vector<std::string>(found->second.begin(), found->second.end());
  }

  // Loaders by folder and reason.
  using Skipped = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

  const Skipped& skipped() const { return m_skipped; }

private:
  struct Judged {
    std::string name = {}; // for every loader that is not odd; empty: the folder's
    std::vector<document::LoaderReading> odd = {};
  };

  // Odd are those that do not find it valid, or name it otherwise: of most skills there is none.
  const Judged& judge(const std::string& folder) {
    auto [at, is_new] = m_judged.try_emplace(folder);
    Judged& judged = at->second;
    std::string own(base_name(folder));
    std::optional<std::string> bytes =
        is_new && !m_stopping.stop_requested() ? read(folder) : std::nullopt;
    if (bytes) {
      judged.name = document::usual_name(*bytes);
      judged.odd = document::read_as_loaders(*bytes, own);
      std::erase_if(judged.odd, [&](const document::LoaderReading& reading) {
        return reading.verdict == LoaderVerdict::valid && reading.name == judged.name;
      });
      m_folders[judged.name.empty() ? own : judged.name].insert(own);
    }
    return judged;
  }

  static std::optional<std::string> read(const std::string& folder) {
    std::optional<std::string> path = document::find_skill_file(folder);
    Result<std::string> bytes =
        path ? read_file(*path, k_max_document) : fail(ErrorCode::not_found, "no file");
    return bytes ? std::optional(std::move(*bytes)) : std::nullopt;
  }

  const std::stop_token& m_stopping;
  std::map<std::string, Judged> m_judged;                 // by folder
  std::map<std::string, std::set<std::string>> m_folders; // their last parts, by name
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

void report_duplicates(const agents::Agent& agent,
                       const AgentView& view,
                       const Judgement& judgement,
                       Findings& findings) {
  std::string named;
  std::size_t many = 0;
  std::string hint = how_to_avoid(agent);
  for (const ListedSkill& skill : view.lists) {
    if (skill.times > 1 && ++many <= k_named) {
      named += (named.empty() ? "`" : ", `") + to_valid_utf8(skill.skill) + "`";
      if (std::vector<std::string> folders = judgement.namesakes(skill.skill); !folders.empty()) {
        hint = "`" + to_valid_utf8(skill.skill) + "` is the `name` of different skills, in `"
               + folders[0] + "` and `" + folders[1] + "`: give each its own";
      }
    }
  }
  if (many > 0) {
    findings.add(FindingLevel::info,
                 "duplicates",
                 agent.title + " will list " + std::to_string(many)
                     + (many == 1 ? " skill" : " skills") + " more than once: " + named
                     + (many > k_named ? ", ..." : ""),
                 std::move(hint));
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
    report_duplicates(*sight.agents[i], views[i], judgement, findings);
  }
  return views;
}

} // namespace upskill::doctor
