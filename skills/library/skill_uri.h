#pragma once
#include "protocol/base/result.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

// The addresses of skills as MCP resources (facts: mcp.md, section 6): `skill://NAME/FILE` in the
// user's scope, `skill://project-1a2b3c4d/NAME/FILE` in a project's, by the first 8 digits of the
// SHA-256 of its path. Every byte but RFC 3986's unreserved characters is written `%XX`.
namespace upskill::library {

struct SkillUri {
  std::string project = {}; // `project-1a2b3c4d`; empty in the user's scope
  std::string skill;
  std::string file; // or a folder in it; empty: the skill itself

  friend bool operator==(const SkillUri&, const SkillUri&) = default;
};

// `project-1a2b3c4d`; empty for an empty path.
std::string project_id(std::string_view project_path);

// `project_path` is empty in the user's scope.
std::string skill_uri(std::string_view project_path, std::string_view skill, std::string_view file);
// How the addresses of all files of a skill begin, with the slash.
std::string skill_prefix(std::string_view project_path, std::string_view skill);
// The address of a file or folder below a skill_prefix(); nothing where it can have none, because
// its name is not UTF-8, has a backslash in it, or is too long.
std::optional<std::string> uri_below(std::string_view prefix, std::string_view file);

// Errors: not_found for everything that is no address of a file of a skill: another scheme, a query
// or fragment, an empty part, `.`, `..`, and in whatever way they are written a slash, a backslash
// or a NUL within a part; also what is not UTF-8. `projects` are the ids of those that are known: a
// skill may be called like one too, and a project comes first.
Result<SkillUri> parse_skill_uri(std::string_view uri, std::span<const std::string> projects);
// The same for the address of a folder, `skill://NAME` for that of the skill: no slash at its end.
Result<SkillUri> parse_folder_uri(std::string_view uri, std::span<const std::string> projects);

} // namespace upskill::library
