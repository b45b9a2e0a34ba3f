#include "protocol/http/accept.h"

namespace upskill::http {
namespace {

struct Range {
  std::string_view type = {};
  std::string_view subtype = {};
  std::string_view parameters = {};
};

Range range_of(std::string_view element) {
  std::size_t end = element.find(';');
  std::string_view name = trimmed(element.substr(0, end));
  std::size_t slash = name.find('/');
  Range range;
  if (slash != std::string_view::npos) {
    range.type = name.substr(0, slash);
    range.subtype = name.substr(slash + 1);
  }
  if (end != std::string_view::npos) {
    range.parameters = element.substr(end + 1);
  }
  return range;
}

// `q=0`, `q=0.0` and so on: the type is not wanted.
bool is_unwanted(std::string_view parameters) {
  while (!parameters.empty()) {
    std::size_t end = parameters.find(';');
    std::string_view parameter = trimmed(parameters.substr(0, end));
    parameters.remove_prefix(end == std::string_view::npos ? parameters.size() : end + 1);
    if (equals_ignoring_case(parameter.substr(0, 2), "q=")) {
      return parameter.substr(2).find_first_not_of("0.") == std::string_view::npos;
    }
  }
  return false;
}

// How exactly the range names the type, from 1; 0 when it does not.
int match(const Range& range, std::string_view type, std::string_view subtype) {
  if (range.type == "*" && range.subtype == "*") {
    return 1;
  }
  if (!equals_ignoring_case(range.type, type)) {
    return 0;
  }
  if (range.subtype == "*") {
    return 2;
  }
  return equals_ignoring_case(range.subtype, subtype) ? 3 : 0;
}

} // namespace

bool accepts(const Head& head, std::string_view type, std::string_view subtype) {
  constexpr FieldName k_accept("Accept");
  int best = 0;
  bool is_wanted = false;
  for (const Field& field : head.fields) {
    if (!equals_ignoring_case(field.name, k_accept.text())) {
      continue;
    }
    std::string_view list = field.value;
    while (auto element = take_element(list)) {
      Range range = range_of(*element);
      int exactness = match(range, type, subtype);
      // The most exact range decides.
      if (exactness > best) {
        best = exactness;
        is_wanted = !is_unwanted(range.parameters);
      }
    }
  }
  return is_wanted;
}

bool is_media_type(std::string_view content_type, std::string_view type, std::string_view subtype) {
  Range range = range_of(content_type);
  return equals_ignoring_case(range.type, type) && equals_ignoring_case(range.subtype, subtype);
}

} // namespace upskill::http
