#include "skills/document/yaml.h"

#include "skills/document/yaml_library.h"
#include "skills/document/yaml_scanner.h"

#include <algorithm>

namespace upskill::document {

const Yaml* Yaml::find(std::string_view key) const {
  for (const YamlMember& member : members) {
    if (member.key == key) {
      return &member.value;
    }
  }
  return nullptr;
}

bool same_content(const Yaml& a, const Yaml& b) {
  if (a.kind != b.kind || a.style != b.style || a.text != b.text) {
    return false;
  }
  auto same_member = [](const YamlMember& x, const YamlMember& y) {
    return x.key == y.key && same_content(x.value, y.value);
  };
  return std::ranges::equal(a.items, b.items, same_content)
         && std::ranges::equal(a.members, b.members, same_member);
}

Result<YamlDocument> parse_yaml(std::string_view text, std::size_t first_line) {
  if (auto scanned = scan_yaml(text)) {
    return YamlDocument{std::move(*scanned), {}};
  }
  return parse_with_library(text, first_line);
}

} // namespace upskill::document
