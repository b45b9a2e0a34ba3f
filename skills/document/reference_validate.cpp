#include "protocol/base/utf8.h"
#include "skills/document/fields.h"
#include "skills/document/reference.h"
#include "skills/document/unicode.h"

#include <algorithm>

namespace upskill::document {
namespace {

// Characters, as the specification counts them: code points.
constexpr std::size_t k_max_shown = 1024; // bytes of a name in a message

using Messages = std::vector<std::string>;

std::string shown(std::string_view text) {
  return std::string(utf8_prefix(text, k_max_shown));
}

bool is_text(const Yaml& value) {
  return value.is_scalar() || value.is_null();
}

bool is_non_empty_text(const Yaml& value) {
  return is_text(value) && !strip(value.text).empty();
}

std::string count_of(std::size_t characters) {
  return "(" + std::to_string(characters) + " chars)";
}

void check_fields(const Yaml& front_matter, Messages& messages) {
  std::vector<std::string> extra;
  for (const YamlMember& member : front_matter.members) {
    if (!is_specified_field(member.key)) {
      extra.push_back(shown(member.key));
    }
  }
  if (extra.empty()) {
    return;
  }
  std::ranges::sort(extra);
  std::string list;
  for (const std::string& field : extra) {
    list += list.empty() ? field : ", " + field;
  }
  messages.push_back("Unexpected fields in frontmatter: " + list
                     + ". Only ['allowed-tools', 'compatibility', 'description', 'license', "
                       "'metadata', 'name'] are allowed.");
}

void check_name(const Yaml* value, std::string_view folder_name, Messages& messages) {
  if (value == nullptr) {
    messages.push_back("Missing required field in frontmatter: name");
    return;
  }
  if (!is_non_empty_text(*value)) {
    messages.push_back("Field 'name' must be a non-empty string");
    return;
  }
  std::string name = to_nfkc(strip(value->text));
  std::string quoted = "'" + shown(name) + "'";
  std::size_t length = code_points(name);
  if (length > k_max_name) {
    messages.push_back("Skill name " + quoted + " exceeds 64 character limit " + count_of(length));
  }
  if (!is_lower_case(name)) {
    messages.push_back("Skill name " + quoted + " must be lowercase");
  }
  if (name.starts_with('-') || name.ends_with('-')) {
    messages.push_back("Skill name cannot start or end with a hyphen");
  }
  if (name.find("--") != std::string::npos) {
    messages.push_back("Skill name cannot contain consecutive hyphens");
  }
  if (!is_letters_digits_hyphens(name)) {
    messages.push_back("Skill name " + quoted
                       + " contains invalid characters. Only letters, digits, and hyphens are "
                         "allowed.");
  }
  if (to_nfkc(folder_name) != name) {
    messages.push_back("Directory name '" + shown(folder_name) + "' must match skill name "
                       + quoted);
  }
}

void check_description(const Yaml* value, Messages& messages) {
  if (value == nullptr) {
    messages.push_back("Missing required field in frontmatter: description");
    return;
  }
  if (!is_non_empty_text(*value)) {
    messages.push_back("Field 'description' must be a non-empty string");
    return;
  }
  std::size_t length = code_points(value->text);
  if (length > k_max_description) {
    messages.push_back("Description exceeds 1024 character limit " + count_of(length));
  }
}

void check_compatibility(const Yaml* value, Messages& messages) {
  if (value == nullptr) {
    return;
  }
  if (!is_text(*value)) {
    messages.push_back("Field 'compatibility' must be a string");
    return;
  }
  std::size_t length = code_points(value->text);
  if (length > k_max_compatibility) {
    messages.push_back("Compatibility exceeds 500 character limit " + count_of(length));
  }
}

} // namespace

std::vector<std::string> validate_as_reference(std::string_view bytes,
                                               std::string_view folder_name) {
  auto document = parse_as_reference(bytes);
  if (!document) {
    return {document.error().message};
  }
  const Yaml& fields = document->front_matter;
  Messages messages;
  check_fields(fields, messages);
  check_name(fields.find("name"), folder_name, messages);
  check_description(fields.find("description"), messages);
  check_compatibility(fields.find("compatibility"), messages);
  return messages;
}

} // namespace upskill::document
