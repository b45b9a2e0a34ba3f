#pragma once
#include "protocol/base/paths.h"
#include "skills/agents/pattern.h"
#include "skills/agents/table.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::agents {

// What detection may ask about the machine; a parameter so that it can be asked about another one.
struct Probe {
  Exists exists;
  std::function<bool(const std::string& path)> is_program; // a regular file that may be executed
  // At most 1 MiB of a regular file; nothing where it cannot be had.
  std::function<std::optional<std::string>(const std::string& path)> read;
};

// This machine.
Probe real_probe();

// Whose folders are meant. `project` is an absolute normalized path, or empty for none.
struct Setting {
  Places places;
  Environment environment;
  Probe probe;
  std::string project = {};
};

// The folders of one agent in one scope: absolute, normalized, each once, links not resolved.
struct AgentRoots {
  std::vector<std::string> reads = {};        // in its loader's order
  std::string writes = {};                    // where a copy for it goes; empty for nowhere
  std::vector<std::string> legacy = {};       // kept in sync where they exist, else left alone
  std::vector<std::string> administered = {}; // read by it, never touched by us

  friend bool operator==(const AgentRoots&, const AgentRoots&) = default;
};

// The folders in that scope; all empty for the project scope without a project.
AgentRoots resolve(const Agent& agent, Scope scope, const Setting& setting);

// A folder where an agent keeps sessions; absolute, normalized, whether it exists or not.
struct SessionFolder {
  std::string agent; // id
  std::string folder;
  SessionPlace place;
};

// Of all agents of the table, in its order; a folder that several name comes for each.
std::vector<SessionFolder> session_folders(const AgentTable& table, const Setting& setting);

// Whether a file below such a folder, named from there (`slug/x.jsonl`), is a session.
bool is_session_file(const SessionPlace& place, std::string_view path);

// The session that a change of such a file tells of: itself, or the one that it is the journal of.
// Empty: it tells of none.
std::string_view changed_session(const SessionPlace& place, std::string_view path);

struct Detected {
  std::string id;
  std::string evidence; // `~/.codex` or `codex` on PATH: what a person can go and look at
};

// The agents that are here, by id: a sign of theirs exists, or a program of theirs is on PATH
// (facts: agents.md, section 1). Relative entries of PATH are passed over.
std::vector<Detected> detect(const AgentTable& table, const Setting& setting);

// Where agents show or would show, by a sign of theirs: each place once, sorted. Programs on PATH
// are not among them.
std::vector<std::string> signs_of(const AgentTable& table, const Setting& setting);

} // namespace upskill::agents
