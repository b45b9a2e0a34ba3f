#pragma once
#include "skills/trace/text.h"

#include <cstddef>
#include <string>
#include <string_view>

// What a call of a tool is about, by the words that agents use for their tools and arguments.
namespace upskill::trace {

// Runs commands: `Bash`, `exec_command`, `run_shell_command`.
bool is_shell_tool(std::string_view name);

// The argument that says most: the command, the path, the pattern, the question; the whole input
// where none is known. At most `limit` bytes of it, decoded. Of a long input the first 64 KiB are
// looked at.
std::string key_argument(const Text& input, std::size_t limit);

// The skill whose SKILL.md this call reads: `pdf` of `/home/ada/skills/pdf/SKILL.md`; empty where
// it reads none, or writes it. As it stands in the input.
std::string_view skill_read_by(std::string_view tool, const Text& input);

// Whether it reads what tells an agent how to behave: a skill, AGENTS.md, CLAUDE.md and their like.
bool reads_instructions(std::string_view tool, const Text& input);

} // namespace upskill::trace
