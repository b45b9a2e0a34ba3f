#include "daemon/doctor/checks.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "skills/agent_config/connections.h"

namespace upskill::doctor {
namespace {

constexpr std::size_t k_max_table = 1u << 20;

// The user's rows, or the built-in ones alone where those cannot be read, of which others tell.
std::vector<agent_config::Connection> known_connections(const Places& places) {
  Result<std::string> users = read_file(join_path(places.config, "agents.json"), k_max_table);
  Result<std::vector<agent_config::Connection>> known =
      agent_config::read_connections(users ? *users : "");
  if (!known) {
    known = agent_config::read_connections("");
  }
  return known ? std::move(*known) : std::vector<agent_config::Connection>();
}

} // namespace

void check_connections(const Facts& facts, Findings& findings) {
  agents::Setting setting{facts.places, facts.environment, agents::real_probe(), {}};
  std::vector<agent_config::FoundConnection> found =
      agent_config::find_connections(known_connections(facts.places), facts.scene->table, setting);
  for (const agent_config::FoundConnection& one : found) {
    const agent_config::Connection& connection = one.connection;
    const bool is_here = !one.evidence.empty();
    if (is_here && !connection.is_tried) {
      const bool has_hooks = !connection.hooks.events.empty();
      findings.add(FindingLevel::info,
                   "untried",
                   connection.title + " is connected as others say it must be: its "
                       + (has_hooks ? "MCP server, hooks and sessions were" : "MCP server was")
                       + " never tried with the program",
                   "`upskill setup --agent " + connection.id
                       + " --dry-run` shows what goes where; see there whether it has `upskill`");
    }
  }
}

} // namespace upskill::doctor
