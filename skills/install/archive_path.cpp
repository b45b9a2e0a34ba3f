#include "skills/install/archive_path.h"

#include "protocol/base/utf8.h"

#include <algorithm>

namespace upskill::install {
namespace {

tl::unexpected<Error> refused(std::string_view path, std::string_view why) {
  return fail(ErrorCode::refused,
              "the path " + in_backticks(utf8_prefix(path, 200)) + " " + std::string(why));
}

bool has_drive(std::string_view path) {
  char letter = path.size() > 1 && path[1] == ':' ? path[0] : '\0';
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

} // namespace

Result<std::string> archive_path(std::string_view path) {
  if (path.size() > k_longest_archive_path) {
    return refused(path, "is longer than 4096 bytes");
  }
  if (!is_utf8(path)) {
    return refused(path, "is not UTF-8");
  }
  if (std::ranges::any_of(path, [](unsigned char c) { return c < 0x20 || c == 0x7f; })) {
    return refused(path, "has a control character in it");
  }
  if (path.find('\\') != std::string_view::npos) {
    return refused(path, "has a backslash in it");
  }
  if (path.starts_with('/') || has_drive(path)) {
    return refused(path, "is absolute");
  }
  std::string clean;
  for (std::string_view rest = path; !rest.empty();) {
    std::size_t end = std::min(rest.find('/'), rest.size());
    std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (part == "..") {
      return refused(path, "leads out with `..`");
    }
    if (part.size() > k_longest_part) {
      return refused(path, "has a name of more than 255 bytes");
    }
    if (!part.empty() && part != ".") {
      clean.append(clean.empty() ? "" : "/").append(part);
    }
  }
  return clean;
}

} // namespace upskill::install
