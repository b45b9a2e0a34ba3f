#include "skills/store/put_folder.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "skills/store/folder_tree.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

namespace upskill::store {
namespace {

constexpr const char* k_temporary = "tmp";
constexpr int k_attempts = 10;

} // namespace

PutFolder::PutFolder(PutFolder&& other) noexcept
    : m_path(std::move(other.m_path))
    , m_fd(std::move(other.m_fd))
    , m_count(other.m_count) {}

PutFolder& PutFolder::operator=(PutFolder&& other) noexcept {
  if (this != &other) {
    remove();
    m_path = std::move(other.m_path);
    m_fd = std::move(other.m_fd);
    m_count = other.m_count;
  }
  return *this;
}

PutFolder::~PutFolder() {
  remove();
}

void PutFolder::remove() {
  if (m_fd) {
    ::rmdir(m_path.c_str()); // one that is not empty is left to the next sweep
  }
}

Result<PutFolder> PutFolder::make(const std::string& objects) {
  std::string within = join_path(objects, k_temporary);
  // Another process's sweep may come between making and locking; then the folder has no name.
  for (int attempt = 0; attempt < k_attempts; ++attempt) {
    std::string path = within + "/put-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) {
      if (errno != ENOENT) {
        return fail(system_error(errno, "cannot make a folder in `" + within + "`"));
      }
      TRY(make_directories(within, 0700));
      continue;
    }
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));

    struct stat status {};

    if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 && ::fstat(fd.get(), &status) == 0
        && status.st_nlink > 0) {
      return PutFolder(std::move(path), std::move(fd));
    }
    if (!fd && errno != ENOENT) {
      return fail(system_error(errno, "cannot open folder `" + path + "`"));
    }
  }
  return fail(ErrorCode::busy, "cannot make a folder in `" + within + "`", "try again");
}

Result<void> PutFolder::sweep(int objects) {
  UniqueFd temporary(::openat(objects, k_temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!temporary) {
    return errno == ENOENT ? Result<void>{} : fail(system_error(errno, "cannot open `tmp`"));
  }
  return each_name(temporary.get(), [&](const std::string& name) -> Result<void> {
    UniqueFd left(
        ::openat(temporary.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!left || ::flock(left.get(), LOCK_EX | LOCK_NB) != 0) {
      return {};
    }
    // What cannot be removed, as in a read-only store, does no harm.
    (void)each_name(left.get(), [&](const std::string& file) -> Result<void> {
      (void)::unlinkat(left.get(), file.c_str(), 0);
      return {};
    });
    (void)::unlinkat(temporary.get(), name.c_str(), AT_REMOVEDIR);
    return {};
  });
}

} // namespace upskill::store
