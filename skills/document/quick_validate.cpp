#include "skills/document/quick_validate.h"

#include "protocol/base/utf8.h"
#include "skills/document/fields.h"
#include "skills/document/front_matter.h"
#include "skills/document/unicode.h"
#include "skills/document/yaml.h"
#include "skills/document/yaml_json.h"

#include <algorithm>
#include <array>

namespace upskill::document {
namespace {

// PyYAML follows YAML 1.1, where these words and dates are no strings either.
bool is_text_to_pyyaml(const Yaml& value) {
  constexpr std::array<std::string_view, 12> k_booleans{
      "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"};
  if (core_type(value) != CoreType::string || !value.is_scalar()) {
    return false;
  }
  if (value.style != ScalarStyle::plain) {
    return true;
  }
  const std::string& text = value.text;
  constexpr std::string_view k_date = "dddd-dd-dd";
  bool date = text.size() == k_date.size();
  for (std::size_t i = 0; date && i < k_date.size(); ++i) {
    date = k_date[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == '-';
  }
  return !date && std::ranges::find(k_booleans, text) == k_booleans.end();
}

std::string check_name(const Yaml& value) {
  if (!is_text_to_pyyaml(value)) {
    return "`name` is not text";
  }
  std::string_view name = strip(value.text);
  if (name.empty()) {
    return {}; // passes
  }
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string_view::npos) {
    return "`name` has other characters than `a-z`, `0-9` and `-`";
  }
  if (name.starts_with('-') || name.ends_with('-') || name.find("--") != std::string_view::npos) {
    return "`name` begins or ends with a hyphen, or has two in a row";
  }
  return name.size() > k_max_name ? "`name` is longer than 64 characters" : "";
}

std::string check_description(const Yaml& value) {
  if (!is_text_to_pyyaml(value)) {
    return "`description` is not text";
  }
  std::string_view description = strip(value.text);
  if (description.find_first_of("<>") != std::string_view::npos) {
    return "`description` has `<` or `>`";
  }
  return code_points(description) > k_max_description
             ? "`description` is longer than 1024 characters"
             : "";
}

std::string check_compatibility(const Yaml* value) {
  if (value == nullptr || value->is_null() || (value->is_scalar() && value->text.empty())) {
    return {};
  }
  if (!is_text_to_pyyaml(*value)) {
    return "`compatibility` is not text";
  }
  return code_points(value->text) > k_max_compatibility
             ? "`compatibility` is longer than 500 characters"
             : "";
}

} // namespace

std::string quick_validate(std::string_view bytes) {
  FrontMatterSplit split = split_exactly(bytes);
  if (split.state != FenceState::closed) {
    return split.state == FenceState::missing ? "line 1 is not exactly `---`"
                                              : "the front matter is not closed with `---`";
  }
  auto document = parse_yaml(split.yaml, split.yaml_line);
  if (!document) {
    return "the front matter is not YAML: " + document.error().message;
  }
  const Yaml& root = document->root;
  if (!root.is_mapping()) {
    return "the front matter is not a mapping";
  }
  for (const YamlMember& member : root.members) {
    if (!is_specified_field(member.key)) {
      return "it has the field `" + std::string(utf8_prefix(member.key, 64))
             + "`, which is not in the specification";
    }
  }
  const Yaml* name = root.find("name");
  const Yaml* description = root.find("description");
  if (name == nullptr || description == nullptr) {
    return name == nullptr ? "no `name`" : "no `description`";
  }
  for (std::string reason : {check_name(*name),
                             check_description(*description),
                             check_compatibility(root.find("compatibility"))}) {
    if (!reason.empty()) {
      return reason;
    }
  }
  return {};
}

} // namespace upskill::document
