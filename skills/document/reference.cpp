#include "skills/document/reference.h"

#include "protocol/base/utf8.h"
#include "skills/document/front_matter.h"
#include "skills/document/unicode.h"
#include "skills/document/yaml_json.h"
#include "skills/document/yaml_text.h"

namespace upskill::document {
namespace {

tl::unexpected<Error> invalid(std::string message) {
  return fail(ErrorCode::invalid_argument, std::move(message));
}

tl::unexpected<Error> invalid_yaml(const std::string& why) {
  return invalid("Invalid YAML in frontmatter: " + why);
}

// Python's text mode: CRLF and a lone CR are a newline.
std::string translate_newlines(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != '\r') {
      text += bytes[i];
    } else if (i + 1 == bytes.size() || bytes[i + 1] != '\n') {
      text += '\n';
    }
  }
  return text;
}

// Line of the first mapping that is indented unlike an earlier one of the same parent; 0 for none.
int find_uneven_indentation(const Yaml& node) {
  int column = -1;
  for (const YamlMember& member : node.members) {
    if (!member.value.is_mapping()) {
      continue;
    }
    if (column >= 0 && member.value.column != column) {
      return member.value.line;
    }
    column = member.value.column;
  }
  for (const YamlMember& member : node.members) {
    if (int line = find_uneven_indentation(member.value)) {
      return line;
    }
  }
  for (const Yaml& item : node.items) {
    if (int line = find_uneven_indentation(item)) {
      return line;
    }
  }
  return 0;
}

Result<void> check_strict(const YamlDocument& document) {
  struct Refusal {
    int line;
    std::string_view what;
  };

  const YamlFeatures& found = document.features;
  Refusal first{0, {}};
  for (Refusal refusal : {Refusal{found.tag_line, "a tag is not allowed"},
                          Refusal{found.flow_line, "flow style is not allowed"},
                          Refusal{found.anchor_line, "an anchor is not allowed"}}) {
    if (refusal.line != 0 && (first.line == 0 || refusal.line < first.line)) {
      first = refusal;
    }
  }
  if (first.line != 0) {
    return invalid_yaml("line " + std::to_string(first.line) + ": " + std::string(first.what));
  }
  if (found.duplicate_line != 0) {
    return invalid_yaml("line " + std::to_string(found.duplicate_line) + ": Duplicate key '"
                        + std::string(utf8_prefix(found.duplicate_key, 1024)) + "' found");
  }
  if (int line = find_uneven_indentation(document.root)) {
    return invalid_yaml("line " + std::to_string(line)
                        + ": the mapping is indented unlike the one before it");
  }
  return {};
}

// The scalar as a string, an absent value as an empty one; nothing for a list or mapping.
std::optional<std::string> as_string(const Yaml* value) {
  if (value == nullptr || value->is_sequence() || value->is_mapping()) {
    return std::nullopt;
  }
  return value->text;
}

} // namespace

Result<ReferenceDocument> parse_as_reference(std::string_view bytes) {
  std::size_t valid = utf8_valid_prefix(bytes);
  if (valid != bytes.size()) { // the reference ends with an exception here
    return invalid("SKILL.md is not UTF-8 text (line " + std::to_string(line_of(bytes, valid))
                   + ")");
  }
  std::string translated;
  if (bytes.find('\r') != std::string_view::npos) {
    translated = translate_newlines(bytes);
    bytes = translated;
  }
  FrontMatterSplit split = split_as_reference(bytes);
  if (split.state == FenceState::missing) {
    return invalid("SKILL.md must start with YAML frontmatter (---)");
  }
  if (split.state == FenceState::unclosed) {
    return invalid("SKILL.md frontmatter not properly closed with ---");
  }
  auto document = parse_yaml(split.yaml, split.yaml_line);
  if (!document) {
    return invalid_yaml(document.error().message);
  }
  TRY(check_strict(*document));
  if (!document->root.is_mapping()) {
    return invalid("SKILL.md frontmatter must be a YAML mapping");
  }
  return ReferenceDocument{std::move(document->root), std::string(strip(split.body))};
}

Result<SkillProperties> read_properties(std::string_view bytes) {
  TRY_ASSIGN(ReferenceDocument document, parse_as_reference(bytes));
  const Yaml& fields = document.front_matter;
  for (std::string_view field : {"name", "description"}) {
    if (fields.find(field) == nullptr) {
      return invalid("Missing required field in frontmatter: " + std::string(field));
    }
  }
  SkillProperties properties;
  for (auto [field, target] :
       {std::pair{"name", &properties.name}, std::pair{"description", &properties.description}}) {
    *target = strip(as_string(fields.find(field)).value_or(""));
    if (target->empty()) {
      return invalid("Field '" + std::string(field) + "' must be a non-empty string");
    }
  }
  properties.license = as_string(fields.find("license"));
  properties.compatibility = as_string(fields.find("compatibility"));
  properties.allowed_tools = as_string(fields.find("allowed-tools"));
  if (const Yaml* metadata = fields.find("metadata")) {
    for (const YamlMember& member : metadata->members) {
      properties.metadata.emplace_back(
          member.key, as_string(&member.value).value_or(to_json(member.value, Typing::strings)));
    }
  }
  return properties;
}

std::string to_json(const SkillProperties& properties) {
  std::string out = "{";
  auto put = [&](std::string_view key, const std::optional<std::string>& value) {
    if (value) {
      out += out.size() > 1 ? ", " : "";
      append_json_string(out, key);
      out += ": ";
      append_json_string(out, *value);
    }
  };
  put("name", properties.name);
  put("description", properties.description);
  put("license", properties.license);
  put("compatibility", properties.compatibility);
  put("allowed-tools", properties.allowed_tools);
  if (!properties.metadata.empty()) {
    out += ", \"metadata\": {";
    std::string_view separator;
    for (const auto& [key, value] : properties.metadata) {
      out += separator;
      separator = ", ";
      append_json_string(out, key);
      out += ": ";
      append_json_string(out, value);
    }
    out += '}';
  }
  return out += '}';
}

namespace {

// As Python's html.escape with quotes.
std::string escape_html(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#x27;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

} // namespace

std::string to_prompt(const std::vector<PromptSkill>& skills) {
  std::string out = "<available_skills>\n";
  for (const PromptSkill& skill : skills) {
    out += "<skill>\n<name>\n" + escape_html(skill.name) + "\n</name>\n<description>\n"
           + escape_html(skill.description) + "\n</description>\n<location>\n" + skill.location
           + "\n</location>\n</skill>\n";
  }
  return out += "</available_skills>";
}

} // namespace upskill::document
