#include "skills/eval/case_paths.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::eval {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

tl::unexpected<Error> refuse(std::string_view why) {
  return fail(ErrorCode::invalid_argument,
              std::string(why),
              "give a path below the workspace, such as `src/main.py`");
}

} // namespace

Result<std::string> inside_path(std::string_view path) {
  if (path.size() > k_max_case_path) {
    return refuse("is longer than " + std::to_string(k_max_case_path) + " bytes");
  }
  if (path.starts_with('/')) {
    return refuse("must be relative");
  }
  // A shell would expand it, and Windows split it.
  if (path.starts_with('~') || path.find('\\') != std::string_view::npos) {
    return refuse("must not begin with `~` or have a backslash");
  }
  if (!is_utf8(path) || std::ranges::any_of(path, is_control)) {
    return refuse("must be UTF-8 without control characters");
  }
  std::string inside;
  while (!path.empty()) {
    std::string_view part = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(part.size() + 1, path.size()));
    if (part == "..") {
      return refuse("must not have a `..`");
    }
    if (part.size() > k_max_file_name) {
      return refuse("has a name of more than 255 bytes");
    }
    if (!part.empty() && part != ".") {
      inside += inside.empty() ? "" : "/";
      inside += part;
    }
  }
  if (inside.empty()) {
    return refuse("must name a file");
  }
  return inside;
}

} // namespace upskill::eval
