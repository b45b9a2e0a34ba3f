#include "protocol/base/bounds.h"
#include "skills/install/discover.h"
#include "skills/library/names.h"

namespace upskill::install {
namespace {

constexpr std::string_view k_kelvin = "\xE2\x84\xAA";     // U+212A, whose lower case is `k`
constexpr std::string_view k_dotted_capital = "\xC4\xB0"; // U+0130, whose lower case is `i`, U+0307

bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
}

} // namespace

std::string folder_name_of(std::string_view name) {
  std::string folder;
  auto add = [&](char c) {
    if (stays(c)) {
      folder += c;
    } else if (!folder.ends_with('-')) {
      folder += '-';
    }
  };
  for (std::size_t at = 0; at < name.size(); ++at) {
    std::string_view left = name.substr(at);
    if (left.starts_with(k_kelvin)) {
      add('k');
      at += k_kelvin.size() - 1;
    } else if (left.starts_with(k_dotted_capital)) {
      add('i');
      add('-');
      at += k_dotted_capital.size() - 1;
    } else {
      char c = name[at];
      add(c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c);
    }
  }
  std::size_t begin = std::min(folder.find_first_not_of(".-"), folder.size());
  folder.erase(0, begin);
  folder.erase(folder.find_last_not_of(".-") + 1);
  folder.resize(std::min(folder.size(), k_max_file_name));
  if (folder.empty()) {
    return "unnamed-skill";
  }
  // A folder that is ignored among skills would never be seen again.
  bool refused = library::refused_name(folder) || library::ignored_name(folder);
  return refused ? std::string() : folder;
}

} // namespace upskill::install
