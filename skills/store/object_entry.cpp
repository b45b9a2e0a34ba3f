#include "skills/store/object_entry.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"

#include <climits>
#include <string>

namespace upskill::store {
namespace {

// The parts between slashes; false from `part` ends it.
template <class Part> bool all_parts(std::string_view path, Part part) {
  for (;;) {
    std::size_t slash = path.find('/');
    if (!part(path.substr(0, slash))) {
      return false;
    }
    if (slash == std::string_view::npos) {
      return true;
    }
    path.remove_prefix(slash + 1);
  }
}

std::string in_quotes(std::string_view path) {
  return "`" + to_valid_utf8(utf8_prefix(path, k_max_file_name)) + "`";
}

bool is_proper(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && part.size() <= k_max_file_name;
}

bool stays_inside(std::string_view target, std::size_t depth) {
  if (target.empty() || target.front() == '/') {
    return false;
  }
  return all_parts(target, [&](std::string_view part) {
    if (part == "..") {
      return depth-- > 0;
    }
    depth += part.empty() || part == "." ? 0 : 1;
    return true;
  });
}

} // namespace

Result<void> check_object_entry(std::string_view path,
                                ObjectKind kind,
                                std::uint64_t size,
                                std::string_view target) {
  std::size_t parts = 0;
  bool proper = all_parts(path, [&](std::string_view part) {
    ++parts;
    return is_proper(part);
  });
  if (!proper || path.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid_argument, in_quotes(path) + " is not a path inside a skill");
  }
  if (parts > k_max_skill_depth + 1) {
    return fail(ErrorCode::too_large,
                in_quotes(path) + " lies more than " + std::to_string(k_max_skill_depth)
                    + " folders deep");
  }
  if (size > k_max_skill_file) {
    return fail(ErrorCode::too_large,
                in_quotes(path) + " holds more than " + std::to_string(k_max_skill_file) + " bytes");
  }
  bool is_link = kind == ObjectKind::link;
  bool is_file = kind == ObjectKind::file || kind == ObjectKind::executable;
  if ((!is_file && size != 0) || (!is_link && !target.empty())
      || (!is_file && !is_link && kind != ObjectKind::folder)) {
    return fail(ErrorCode::invalid_argument, in_quotes(path) + " is of no kind that can be kept");
  }
  if (is_link
      && (target.size() >= PATH_MAX || target.find('\0') != std::string_view::npos
          || !stays_inside(target, parts - 1))) {
    return fail(ErrorCode::invalid_argument,
                "the link " + in_quotes(path) + " does not end inside its skill");
  }
  return {};
}

} // namespace upskill::store
