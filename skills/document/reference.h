#pragma once
#include "protocol/base/result.h"
#include "skills/document/yaml.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the specification's reference validator (skills-ref) says, word for word and in its order
// (skills facts, section 3). Its messages begin upper case because they are its own.
namespace upskill::document {

struct ReferenceDocument {
  Yaml front_matter; // a mapping; read every scalar as a string
  std::string body;  // stripped, newlines translated
};

// Strictyaml's subset of YAML: no flow style, tags, anchors, repeated keys or uneven indentation.
// The message of the error is the reference's; after `Invalid YAML in frontmatter: ` the words are
// ours.
Result<ReferenceDocument> parse_as_reference(std::string_view bytes);

// Everything it finds wrong with the text of a SKILL.md that lies in a folder of that name; empty:
// valid. Names in messages are cut after 1,024 bytes.
std::vector<std::string> validate_as_reference(std::string_view bytes,
                                               std::string_view folder_name);

// What read_properties returns: name and description stripped, the others as they are.
struct SkillProperties {
  std::string name;
  std::string description;
  std::optional<std::string> license = {};
  std::optional<std::string> compatibility = {};
  std::optional<std::string> allowed_tools = {};
  std::vector<std::pair<std::string, std::string>> metadata = {}; // values that nest are JSON text
};

// Without full validation: only that name and description are there.
Result<SkillProperties> read_properties(std::string_view bytes);

// Its JSON on one line: absent fields and empty metadata are left out, the key is `allowed-tools`.
std::string to_json(const SkillProperties& properties);

struct PromptSkill {
  std::string name;
  std::string description;
  std::string location; // absolute path of the skill's file
};

// The `<available_skills>` block; name and description are HTML-escaped, the location is not.
std::string to_prompt(const std::vector<PromptSkill>& skills);

} // namespace upskill::document
