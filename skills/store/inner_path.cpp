#include "skills/store/inner_path.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::store {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == '\x7F';
}

bool is_part(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.size() <= k_max_file_name;
}

bool is_inner(std::string_view path) {
  std::size_t folders = 0;
  std::size_t begin = 0;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos;
       slash = path.find('/', begin)) {
    if (!is_part(path.substr(begin, slash - begin)) || ++folders > k_max_skill_depth) {
      return false;
    }
    begin = slash + 1;
  }
  return is_part(path.substr(begin));
}

} // namespace

Result<void> check_inner_path(std::string_view path) {
  if (is_utf8(path) && std::ranges::none_of(path, is_control) && is_inner(path)) {
    return {};
  }
  return fail(ErrorCode::invalid_argument,
              in_backticks(path.substr(0, k_max_file_name)) + " is no path inside a skill",
              "paths of its files are relative, as `references/api.md`");
}

} // namespace upskill::store
