#pragma once
#include "skills/document/reference.h"

#include <optional>
#include <string>
#include <vector>

// The reference's file stage (skills facts, 3.1): the only part of this folder that touches the
// disk.
namespace upskill::document {

// `SKILL.md`, else `skill.md`, inside the folder; nothing where neither exists.
std::optional<std::string> find_skill_file(const std::string& folder);

// What `skills-ref validate PATH` finds; empty: valid. A file that cannot be read is one message.
std::vector<std::string> validate_folder(const std::string& path);

// What `skills-ref read-properties PATH` reads.
Result<SkillProperties> read_folder_properties(const std::string& path);

// What `skills-ref to-prompt PATH...` prints, without a final newline.
Result<std::string> folders_to_prompt(const std::vector<std::string>& paths);

} // namespace upskill::document
