#pragma once
#include "skills/document/yaml.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::document {

// One value that had to be quoted.
struct Repair {
  std::string key;
  std::size_t line = 0; // as given by first_line
};

struct RepairedYaml {
  YamlDocument document;
  std::vector<Repair> repairs; // not empty
};

// A second reading of YAML that parse_yaml refused (skills facts, 7.2): top-level keys whose value
// is plain, on the key's line, and wrong by itself (`: ` in it, or a beginning such as `@`, `[`,
// `<`) are read as if quoted. Nothing where that does not help. The text itself is never changed.
// Bound: 256 values.
std::optional<RepairedYaml> repair_yaml(std::string_view text, std::size_t first_line = 1);

} // namespace upskill::document
