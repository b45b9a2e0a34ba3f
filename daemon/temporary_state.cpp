#include "daemon/temporary_state.h"

#include <ftw.h>
#include <stdlib.h> // NOLINT(modernize-deprecated-headers): mkdtemp

#include <cerrno>
#include <climits>
#include <cstdio>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr int k_walk_descriptors = 16;

// Never follows a link; what cannot be removed is left, and so is what holds it.
int remove_entry(const char* path, const struct stat* /*status*/, int /*type*/, FTW* /*place*/) {
  std::remove(path);
  return 0;
}

} // namespace

TemporaryState::TemporaryState(std::string folder)
    : m_folder(std::move(folder)) {}

TemporaryState::TemporaryState(TemporaryState&& other) noexcept
    : m_folder(std::exchange(other.m_folder, {})) {}

TemporaryState::~TemporaryState() {
  remove();
}

Result<TemporaryState> TemporaryState::make(const Environment& environment, Places& places) {
  std::optional<std::string> base = environment("TMPDIR");
  std::string folder = base && base->starts_with('/') ? normalized_path(*base, "/") : "/tmp";
  folder = join_path(folder, "upskill-XXXXXX");
  if (::mkdtemp(folder.data()) == nullptr) {
    Error error = system_error(errno, "the folder `" + folder + "` cannot be made");
    error.hint = "set TMPDIR to a folder that may be written, or XDG_STATE_HOME to a state to use";
    return fail(std::move(error));
  }
  char real[PATH_MAX]; // a state is known by its real path
  if (::realpath(folder.c_str(), real) != nullptr) {
    folder = real;
  }
  places.state = folder + "/state";
  places.data = folder + "/data";
  return TemporaryState(std::move(folder));
}

void TemporaryState::remove() {
  // A worker that cannot be interrupted may have added something after the walk came by.
  for (int attempt = 0; attempt < 3 && !m_folder.empty(); ++attempt) {
    if (::nftw(m_folder.c_str(), remove_entry, k_walk_descriptors, FTW_DEPTH | FTW_PHYS) != 0
        && errno == ENOENT) {
      break;
    }
  }
  m_folder.clear();
}

} // namespace upskill::daemon
