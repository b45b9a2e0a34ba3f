#pragma once
#include <string>
#include <string_view>

namespace upskill::fetch {

// Hosts, schemes, and what programs say, compared without the case of ASCII letters.
inline std::string lower_ascii(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return small;
}

} // namespace upskill::fetch
