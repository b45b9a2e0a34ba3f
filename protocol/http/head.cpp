#include "protocol/http/head.h"

namespace upskill::http {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

} // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) {
      return false;
    }
  }
  return true;
}

std::string_view trimmed(std::string_view text) {
  std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::optional<std::string_view> Head::first(FieldName name) const {
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name.text())) {
      return field.value;
    }
  }
  return std::nullopt;
}

std::size_t Head::count(FieldName name) const {
  std::size_t count = 0;
  for (const Field& field : fields) {
    count += equals_ignoring_case(field.name, name.text()) ? 1 : 0;
  }
  return count;
}

std::optional<std::string_view> Head::only(FieldName name) const {
  std::optional<std::string_view> found;
  for (const Field& field : fields) {
    if (equals_ignoring_case(field.name, name.text())) {
      if (found) {
        return std::nullopt;
      }
      found = field.value;
    }
  }
  return found;
}

std::optional<std::string_view> take_element(std::string_view& list) {
  while (!list.empty()) {
    bool is_quoted = false;
    std::size_t end = 0;
    for (; end < list.size() && (is_quoted || list[end] != ','); ++end) {
      if (list[end] == '"') {
        is_quoted = !is_quoted;
      } else if (is_quoted && list[end] == '\\') {
        ++end;
      }
    }
    end = end < list.size() ? end : list.size();
    std::string_view element = trimmed(list.substr(0, end));
    list.remove_prefix(end < list.size() ? end + 1 : end);
    if (!element.empty()) {
      return element;
    }
  }
  return std::nullopt;
}

} // namespace upskill::http
