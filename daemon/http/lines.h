#pragma once
#include <string_view>

namespace upskill::http {

// Takes the first line off `lines`, without its end.
inline std::string_view take_line(std::string_view& lines) {
  std::size_t end = lines.find('\n');
  std::string_view line = lines.substr(0, end);
  lines.remove_prefix(end == std::string_view::npos ? lines.size() : end + 1);
  return line;
}

} // namespace upskill::http
