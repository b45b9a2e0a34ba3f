#include "daemon/watch/resolve.h"

#include "protocol/base/paths.h"

#include <filesystem>
#include <system_error>

namespace upskill::watch {
namespace {

std::string real_path(const std::string& path) {
  std::string plain = normalized_path(path, "/");
  std::error_code failure;
  std::filesystem::path real = std::filesystem::weakly_canonical(plain, failure);
  return failure ? plain : normalized_path(real.native(), "/");
}

// A sign's own link is not followed: where it leads may be any folder, and one that leads elsewhere
// is news.
std::string place_of(const WatchRoot& root) {
  std::string plain = normalized_path(root.path, "/");
  return root.sign ? join_path(real_path(parent_path(plain)), base_name(plain)) : real_path(plain);
}

} // namespace

WatchRoot resolved_root(const WatchRoot& root) {
  WatchRoot real{place_of(root), real_path(root.boundary), root.sign};
  std::error_code failure;
  if (!is_inside(real.path, real.boundary)) {
    real.boundary = parent_path(real.path);
    while (real.boundary != "/" && !std::filesystem::is_directory(real.boundary, failure)) {
      real.boundary = parent_path(real.boundary);
    }
  }
  return real;
}

} // namespace upskill::watch
