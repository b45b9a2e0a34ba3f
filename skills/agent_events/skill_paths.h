#pragma once
#include <nlohmann/json_fwd.hpp>

#include <set>
#include <string>
#include <string_view>

namespace upskill::agent_events {

// The skills whose SKILL.md a path or a command line names: `cat
// .agents/skills/git-commit/SKILL.md` and `cd .agents/skills/git-commit && cat SKILL.md` are
// `git-commit`; `*` stands for all.
std::set<std::string> skills_named_in(std::string_view text);

// The same for the members of a tool's arguments that hold paths and command lines.
std::set<std::string> skills_read_by(const nlohmann::json& arguments);

// The name that a tool for skills was given, without the plugin it comes from.
std::set<std::string> skill_called(std::string_view name);

} // namespace upskill::agent_events
