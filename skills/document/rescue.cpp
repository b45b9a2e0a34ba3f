#include "skills/document/rescue.h"

#include <algorithm>

namespace upskill::document {
namespace {

constexpr std::string_view k_white = " \t\r";

std::string_view trim(std::string_view text) {
  std::size_t start = std::min(text.find_first_not_of(k_white), text.size());
  std::size_t end = text.find_last_not_of(k_white);
  return end == std::string_view::npos ? std::string_view{} : text.substr(start, end + 1 - start);
}

std::string_view take_line(std::string_view& text) {
  std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::optional<std::string_view> value_after(std::string_view line, std::string_view key) {
  line = trim(line);
  if (!line.starts_with(key)) {
    return std::nullopt;
  }
  return trim(line.substr(key.size()));
}

bool is_continuation(std::string_view text) {
  std::string_view line = take_line(text);
  return (line.starts_with(' ') || line.starts_with('\t')) && !trim(line).empty();
}

} // namespace

RescuedFields rescue_fields(std::string_view yaml) {
  RescuedFields fields;
  while (!yaml.empty()) {
    std::string_view line = take_line(yaml);
    if (auto name = value_after(line, "name:")) {
      fields.name = *name;
    } else if (auto description = value_after(line, "description:")) {
      fields.description = *description;
      while (is_continuation(yaml)) {
        std::string_view more = trim(take_line(yaml));
        *fields.description += fields.description->empty() ? "" : " ";
        *fields.description += more;
      }
    }
  }
  return fields;
}

} // namespace upskill::document
