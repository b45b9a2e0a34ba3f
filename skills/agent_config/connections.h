#pragma once
#include "protocol/base/result.h"
#include "protocol/types/skills.h"
#include "skills/agent_config/edit.h"
#include "skills/agents/resolve.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agent_config {

// One entry of an agent's configuration, and in which file: a row of `setup` in agents.json.
struct Target {
  Form form = Form::json;
  std::vector<std::string> user = {}; // patterns of a file; the first that exists, else the first
  std::vector<std::string> project = {}; // the same below a project; empty: it has none
  std::vector<std::string> at = {};      // the containers around the entry
  std::string entry = {};                // JSON; `{upskill}` and `{event}` stand for what they are
  std::vector<std::string> events = {};  // of hooks: a list of this name below `at` for each
  std::string version = {}; // JSON of the file's member `version`, where it must have one
};

// A program that can be connected. Most are an agent of the table; one row may have several.
struct Connection {
  std::string id;
  std::string title;
  std::string agent;                   // whose row it is
  std::vector<std::string> signs = {}; // empty: found as its agent is
  std::vector<std::string> programs = {};
  // Whether a row says that it was run with the program; else somebody wrote that it is so.
  bool is_tried = false;
  Target mcp = {};
  Target hooks = {}; // without events where nothing is known
};

// Those of the built-in table, with the `setup` of a user's rows in place of the built-in ones, in
// the order of ids. `user_text`: <config>/agents.json, or empty. Errors name the row and the key.
Result<std::vector<Connection>> read_connections(std::string_view user_text);

// Those that are here, and by what.
struct FoundConnection {
  Connection connection;
  std::string evidence; // empty: it was named, and not found
};

std::vector<FoundConnection> find_connections(const std::vector<Connection>& connections,
                                              const agents::AgentTable& table,
                                              const agents::Setting& setting);

// An entry as it is to stand in a file.
struct Wanted {
  EntryPlace place;
  std::string value; // JSON
  Form form = Form::json;
};

// What `mcp` or `hooks` of a connection come to with this program.
std::vector<Wanted> wanted_entries(const Target& target, std::string_view program);

// Where a target's file lies, or is to lie; nothing where the agent has none in this scope.
std::optional<std::string>
file_of(const Target& target, Scope scope, const agents::Setting& setting);

} // namespace upskill::agent_config
