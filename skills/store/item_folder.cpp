#include "skills/store/item_folder.h"

#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/store/timestamp.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace upskill::store {
namespace {

// Within the same second and skill; more would be a loop gone wild.
constexpr int k_max_items = 10'000;
// What the time, two dashes and the number leave of a name's bytes.
constexpr std::size_t k_max_skill_name = k_max_file_name - 16 - 2 - 5;

std::string readable(std::string_view skill) {
  std::string name = to_valid_utf8(skill);
  std::ranges::replace_if(
      name,
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '/' || c == '\x7F'; },
      '_');
  return std::string(utf8_prefix(name, k_max_skill_name));
}

} // namespace

Result<std::string> claim_item_folder(const std::string& folder,
                                      std::int64_t time_ms,
                                      std::string_view skill,
                                      const std::function<Result<void>(const std::string&)>& take) {
  std::string stem = join_path(folder, name_of_time(time_ms) + "-" + readable(skill) + "-");
  for (int n = 1; n <= k_max_items; ++n) {
    std::string path = stem + std::to_string(n);
    Result<void> taken = take(path);
    if (taken) {
      return path;
    }
    if (taken.error().code != ErrorCode::already_exists) {
      return fail(std::move(taken).error());
    }
  }
  return fail(ErrorCode::busy, "`" + folder + "` has too many items of the same second");
}

bool is_item_name(std::string_view name) {
  std::size_t dash = name.rfind('-');
  return time_of_name(name) && name.size() > 17 && name[16] == '-' && dash > 16
         && dash + 1 < name.size() && name.find('/') == std::string_view::npos
         && name.find_first_not_of("0123456789", dash + 1) == std::string_view::npos;
}

Result<bool> rename_to_new(const std::string& from, const std::string& to) {
  int failure =
      ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
  if (failure == EINVAL || failure == ENOSYS) {
    // A file system without it; the look before leaves a gap that only another upskill could use.
    struct stat status {};

    failure = ::lstat(to.c_str(), &status) == 0         ? EEXIST
              : ::rename(from.c_str(), to.c_str()) == 0 ? 0
                                                        : errno;
  }
  if (failure == EXDEV) {
    return false;
  }
  if (failure != 0) {
    return fail(system_error(failure, "cannot move `" + from + "` to `" + to + "`"));
  }
  return true;
}

} // namespace upskill::store
