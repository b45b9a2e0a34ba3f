#include "daemon/doctor/checks.h"
#include "skills/library/names.h"
#include "skills/sync/root_health.h"

#include <algorithm>
#include <map>
#include <set>

namespace upskill::doctor {
namespace {

void check_root(const library::Root& root, Findings& findings) {
  if (root.state == RootState::refused) {
    // An administrator's folder has no writers of ours to miss it: that is as it should be.
    bool is_administered = root.reason.ends_with("belongs to an administrator");
    findings.add(is_administered ? FindingLevel::info : FindingLevel::warning,
                 "roots",
                 root.reason,
                 is_administered ? "its skills are read by their agent and never touched"
                                 : "it is never written; make it a folder of its own");
  } else if (root.exists()) {
    std::string git = sync::enclosing_git_folder(root.real_path);
    std::string operation = git.empty() ? std::string() : sync::git_operation(git);
    if (!operation.empty()) {
      findings.add(FindingLevel::info,
                   "git",
                   "`" + root.path + "` waits: git is in the middle of " + operation,
                   "finish or abort it");
    }
  }
}

void check_entry(const library::Entry& entry, Findings& findings) {
  switch (entry.kind) {
  case library::EntryKind::problem:
    findings.add(FindingLevel::warning,
                 "folders",
                 entry.reason,
                 "rename it, or make it readable; it is left out until then");
    break;
  case library::EntryKind::incomplete:
    findings.add(FindingLevel::info,
                 "folders",
                 entry.reason,
                 "write its `SKILL.md`, or move the folder elsewhere");
    break;
  case library::EntryKind::broken_link:
    findings.add(FindingLevel::warning, "links", entry.reason, "remove the link, or mend it");
    break;
  case library::EntryKind::alias:
  case library::EntryKind::outside_link:
    findings.add(FindingLevel::info,
                 "links",
                 entry.reason,
                 "it is left as it is; put the skill itself there to have it in sync");
    break;
  case library::EntryKind::link:
    if (!entry.has_document()) {
      findings.add(FindingLevel::info, "links", entry.reason, "write the `SKILL.md` it leads to");
    }
    break;
  case library::EntryKind::skill:
  case library::EntryKind::group:
    break;
  }
}

void check_names(const Sight& sight, Findings& findings) {
  std::map<std::string, std::set<std::string>> names; // by project
  for (std::size_t i = 0; i < sight.roots.size(); ++i) {
    for (const library::Entry& entry : sight.listings[i].entries) {
      if (entry.has_document() && sight.roots[i].state != RootState::refused) {
        names[sight.roots[i].project].insert(entry.name);
      }
    }
  }
  for (const auto& [project, of_scope] : names) {
    std::vector<std::string> all(of_scope.begin(), of_scope.end());
    for (const std::vector<std::string>& same : library::find_collisions(all)) {
      findings.add(FindingLevel::warning,
                   "names",
                   "`" + same.front() + "` and `" + same.back()
                       + "` are one name on file systems that know no case",
                   "rename one of them");
    }
  }
}

} // namespace

Sight look(const Facts& facts, std::stop_token stopping) {
  Sight sight;
  const daemon::Scene& scene = *facts.scene;
  agents::Setting setting{facts.places, facts.environment, agents::real_probe(), {}};
  std::vector<std::string> projects = {std::string()};
  for (const daemon::ProjectSettings& project : scene.settings.projects) {
    projects.push_back(project.path);
  }
  for (const agents::Agent& agent : scene.table.agents()) {
    bool takes_part = std::ranges::find(scene.enabled, agent.id) != scene.enabled.end();
    if (!takes_part && !scene.is_detected(agent.id)) {
      continue;
    }
    sight.agents.push_back(&agent);
    for (const std::string& project : projects) {
      setting.project = project;
      for (library::AgentFolders& folders : library::folders_of(agent, setting)) {
        if (folders.project == project) {
          sight.folders.push_back(std::move(folders));
        }
      }
    }
  }
  sight.roots = library::discover_roots(sight.folders, facts.places.home);
  library::ListOptions options;
  options.nesting = library::Nesting::all;
  for (const library::Root& root : sight.roots) {
    bool wanted = root.exists() && !stopping.stop_requested();
    sight.listings.push_back(wanted ? library::list_root(root, sight.roots, options)
                                    : library::Listing());
  }
  return sight;
}

void check_roots(const Sight& sight, Findings& findings) {
  for (std::size_t i = 0; i < sight.roots.size(); ++i) {
    check_root(sight.roots[i], findings);
    if (sight.roots[i].state == RootState::refused) {
      continue; // what lies there is nothing of ours
    }
    for (const std::string& problem : sight.listings[i].problems) {
      findings.add(
          FindingLevel::warning, "folders", problem, "make the folder readable for yourself");
    }
    for (const library::Entry& entry : sight.listings[i].entries) {
      check_entry(entry, findings);
    }
  }
  check_names(sight, findings);
}

} // namespace upskill::doctor
