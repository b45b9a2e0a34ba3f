#pragma once
#include "daemon/doctor/doctor.h"
#include "daemon/doctor/findings.h"
#include "skills/library/sight.h"

#include <span>

// The parts of examine().
namespace upskill::doctor {

// The agents that are here or take part, their roots, and what lies in them.
struct Sight {
  std::vector<const agents::Agent*> agents = {};
  std::vector<library::AgentFolders> folders = {};
  std::vector<library::Root> roots = {};
  std::vector<library::Listing> listings = {}; // of each root
};

Sight look(const Facts& facts, std::stop_token stopping);

// The daemon's version and folders, disk space, the watcher, the sandbox, the user's table of
// agents.
void check_machine(const Facts& facts, Findings& findings);
// Whether sync is on and what it waits for.
void check_sync(const Facts& facts, Findings& findings);
// Roots that are refused or in the middle of a git operation, folders that cannot be read, names
// that are one on some file systems.
void check_roots(const Sight& sight, Findings& findings);
// Agents that are here, of which nobody has tried with the program what setup does.
void check_connections(const Facts& facts, Findings& findings);
// What each agent lists: skills that it skips, and those that it shows more than once.
std::vector<AgentView>
check_views(const Sight& sight, Findings& findings, const std::stop_token& stopping);

} // namespace upskill::doctor
