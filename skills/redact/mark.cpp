#include "skills/redact/mark.h"

namespace upskill::redact {

std::string mark_of(std::string_view rule_id) {
  std::string mark(k_mark_begin);
  mark += rule_id;
  mark += ']';
  return mark;
}

std::string_view marked_id(std::string_view text) {
  if (!text.starts_with(k_mark_begin)) {
    return {};
  }
  text.remove_prefix(k_mark_begin.size());
  std::size_t end = text.substr(0, 65).find(']');
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end);
}

} // namespace upskill::redact
