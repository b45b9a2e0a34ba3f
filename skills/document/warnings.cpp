#include "skills/document/warnings.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "skills/document/fields.h"
#include "skills/document/tokens.h"
#include "skills/document/yaml_json.h"
#include "skills/document/yaml_text.h"

#include <algorithm>

namespace upskill::document {
namespace {

constexpr std::size_t k_max_field_warnings = 50;
constexpr std::size_t k_max_shown = 200; // bytes of somebody's text in a warning

using Warnings = std::vector<std::string>;

std::string in_quotes(std::string_view text) {
  return "`" + to_valid_utf8(utf8_prefix(text, k_max_shown)) + "`";
}

void warn_of_damage(std::string_view bytes, const Document& document, Warnings& warnings) {
  for (const std::string& problem : document.problems) {
    warnings.push_back(to_valid_utf8(utf8_prefix(problem, 4 * k_max_shown)));
  }
  for (const Repair& repair : document.repairs) {
    warnings.push_back("quote the value of " + in_quotes(repair.key) + " (line "
                       + std::to_string(repair.line) + "), or only some agents can read it");
  }
  if (document.parts.byte_order_mark) {
    warnings.push_back("the file begins with a byte order mark, which several loaders refuse");
  }
  std::size_t valid = utf8_valid_prefix(bytes);
  if (valid != bytes.size()) {
    warnings.push_back("the file is not UTF-8 text (line " + std::to_string(line_of(bytes, valid))
                       + ")");
  }
  std::size_t nul = bytes.find('\0');
  if (nul != std::string_view::npos) {
    warnings.push_back("the file has a NUL byte (line " + std::to_string(line_of(bytes, nul))
                       + ")");
  }
}

void warn_of_fields(const Yaml& front_matter, Warnings& warnings) {
  std::size_t count = 0;
  for (const YamlMember& member : front_matter.members) {
    if (is_specified_field(member.key)) {
      continue;
    }
    if (++count > k_max_field_warnings) {
      warnings.push_back("and more fields that are not in the specification");
      return;
    }
    std::string agents = agents_that_use(member.key);
    warnings.push_back(
        "the field " + in_quotes(member.key) + " is not in the specification"
        + (agents.empty() ? "; `metadata` is the place for it" : "; " + agents + " reads it"));
  }
}

// Commas inside parentheses belong to a tool's pattern: `Bash(git add, git commit)`.
bool has_outer_comma(std::string_view text) {
  int depth = 0;
  for (char c : text) {
    depth += c == '(' ? 1 : c == ')' && depth > 0 ? -1 : 0;
    if (c == ',' && depth == 0) {
      return true;
    }
  }
  return false;
}

void warn_of_values(const Yaml& front_matter, Warnings& warnings) {
  if (const Yaml* tools = front_matter.find("allowed-tools")) {
    if (tools->is_sequence()) {
      warnings.push_back("`allowed-tools` is a list; the specification has one string with spaces");
    } else if (has_outer_comma(tools->text)) {
      warnings.push_back("`allowed-tools` is separated by commas; the specification has spaces");
    }
  }
  std::size_t listed = 0;
  for (std::string_view field : {"description", "when_to_use"}) {
    const Yaml* value = front_matter.find(field);
    listed += value == nullptr ? 0 : code_points(value->text);
  }
  if (listed > k_claude_listing) {
    warnings.push_back("description and `when_to_use` have " + std::to_string(listed)
                       + " characters; Claude Code lists the first "
                       + std::to_string(k_claude_listing));
  }
  const Yaml* metadata = front_matter.find("metadata");
  if (metadata != nullptr && !metadata->is_mapping()) {
    warnings.push_back("`metadata` is not a mapping");
  } else if (metadata != nullptr
             && std::ranges::any_of(metadata->members, [](const YamlMember& member) {
                  return member.value.is_mapping() || member.value.is_sequence();
                })) {
    warnings.push_back("`metadata` nests; the specification has a map of strings to strings");
  }
}

void warn_of_size(std::string_view body, const SkillFolder& folder, Warnings& warnings) {
  auto lines = static_cast<std::size_t>(std::count(body.begin(), body.end(), '\n'));
  if (!body.empty() && body.back() != '\n') {
    ++lines;
  }
  if (lines > k_long_body_lines) {
    warnings.push_back("the body has " + std::to_string(lines)
                       + " lines, more than the recommended " + std::to_string(k_long_body_lines)
                       + "; move detail into `references/`");
  }
  auto tokens = static_cast<std::size_t>(estimate_tokens(body));
  if (tokens > k_long_body_tokens) {
    warnings.push_back("the body has about " + std::to_string(tokens)
                       + " tokens, more than the recommended " + std::to_string(k_long_body_tokens)
                       + "; move detail into `references/`");
  }
  if (folder.files > k_mcp_skill_resources) {
    warnings.push_back("the skill has " + std::to_string(folder.files)
                       + " files; MCP hosts need support no more than "
                       + std::to_string(k_mcp_skill_resources));
  }
  if (folder.bytes > k_mcp_skill_bytes) {
    warnings.push_back("the skill has " + std::to_string(folder.bytes)
                       + " bytes; MCP hosts need support no more than "
                       + std::to_string(k_mcp_skill_bytes));
  }
}

void warn_of_references(std::string_view bytes,
                        const Document& document,
                        const SkillFolder& folder,
                        Warnings& warnings) {
  if (!folder.exists) {
    return;
  }
  std::string_view body = document.parts.body;
  std::size_t before = body.empty() ? 0 : static_cast<std::size_t>(body.data() - bytes.data());
  std::size_t first_line = line_of(bytes, before);
  for (const FileReference& reference : find_broken_references(body, folder.exists)) {
    std::string where = " (line " + std::to_string(first_line + reference.line - 1) + ")";
    warnings.push_back(reference.path.starts_with("..")
                           ? in_quotes(reference.path) + where + " lies outside the skill's folder"
                           : in_quotes(reference.path) + where + " does not exist in the skill");
  }
}

} // namespace

std::vector<std::string>
find_warnings(std::string_view bytes, const Document& document, const SkillFolder& folder) {
  Warnings warnings;
  warn_of_damage(bytes, document, warnings);
  warn_of_fields(document.front_matter, warnings);
  warn_of_values(document.front_matter, warnings);
  warn_of_size(document.parts.body, folder, warnings);
  warn_of_references(bytes, document, folder, warnings);
  return warnings;
}

} // namespace upskill::document
