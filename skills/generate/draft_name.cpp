#include "skills/generate/draft_name.h"

#include "skills/document/fields.h"
#include "skills/document/unicode.h"
#include "skills/generate/draft.h"

#include <string>

namespace upskill::generate {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// At a hyphen, unless that leaves little.
std::string cut_name(std::string name) {
  if (name.size() <= document::k_max_name) {
    return name;
  }
  std::size_t hyphen = name.rfind('-', document::k_max_name);
  bool leaves_enough = hyphen != std::string::npos && hyphen >= document::k_max_name / 2;
  name.resize(leaves_enough ? hyphen : document::k_max_name);
  return name;
}

} // namespace

std::string name_from(std::string_view text) {
  std::string name;
  for (char c : document::fold_case(document::to_nfkc(text))) {
    if (is_name_character(c)) {
      name += c;
    } else if (c != '\'' && !name.empty() && !name.ends_with('-')) {
      name += '-';
    }
  }
  name = cut_name(std::move(name));
  if (name.ends_with('-')) {
    name.pop_back();
  }
  return name.empty() ? "skill" : name;
}

bool is_skill_name(std::string_view name) {
  return !name.empty() && name_from(name) == name;
}

} // namespace upskill::generate
