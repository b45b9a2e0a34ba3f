#pragma once
#include "protocol/base/result.h"
#include "skills/agents/agent.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agents {

// The coding agents we know, as data. Owned by whoever made it; not changed once it is shared.
class AgentTable {
public:
  // The table this program was built with (agents.json); its failure is a bug that a test catches.
  static Result<AgentTable> built_in();

  // A whole table from text, for example a newer agents.json. `what` names the text in errors.
  static Result<AgentTable> parse(std::string_view text, std::string_view what);

  // Lays a user's rows over this table: a row with a known id replaces the keys it has, another one
  // adds an agent. The text is not trusted: at most 1 MiB and 512 agents, every key and every path
  // checked. Either all rows are taken or none; an error names the row and the key.
  Result<void> merge_user(std::string_view text, std::string_view what);

  std::span<const Agent> agents() const { return m_agents; } // by id

  // Nothing for an id that is not in the table.
  const Agent* find(std::string_view id) const;

  // The day the facts in it were gathered, such as `2026-11-21`.
  const std::string& date() const { return m_date; }

private:
  std::string m_date;
  std::vector<Agent> m_agents;
};

// The built-in table with the user's rows over it where their file is good. `problem` is for a
// report: the table can be used all the same.
struct LoadedTable {
  AgentTable table;
  std::optional<Error> problem = {};
};

// `user_text` is what `<config>/agents.json` holds, or nothing where there is none.
Result<LoadedTable> load_table(const std::optional<std::string>& user_text, std::string_view what);

} // namespace upskill::agents
