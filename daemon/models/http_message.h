#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::models {

// Names in lower case.
using Headers = std::vector<std::pair<std::string, std::string>>;

// The first of that name, or empty.
inline std::string_view header(const Headers& headers, std::string_view name) {
  for (const auto& [known, value] : headers) {
    if (known == name) {
      return value;
    }
  }
  return {};
}

} // namespace upskill::models
