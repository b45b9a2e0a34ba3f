#include "skills/library/document_file.h"

#include "skills/library/folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::library {
namespace {

using State = DocumentFile::State;

void take_status(DocumentFile& document, const struct stat& status) {
  if (!S_ISREG(status.st_mode)) {
    document.state = State::not_a_file;
    return;
  }
  document.state = status.st_size == 0 ? State::empty : State::present;
  document.size = status.st_size;
  document.mtime_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

void take_error(DocumentFile& document, int error) {
  if (error == ENOENT || error == ENOTDIR) {
    document.state = State::missing;
  } else if (error == EXDEV || error == ELOOP) {
    document.state = State::leaves;
  } else {
    document.state = State::unreadable;
    document.error = error;
  }
}

DocumentFile look(int at, const std::string& folder, const char* file) {
  DocumentFile document;

  struct stat status {};

  if (::fstatat(at, (folder + "/" + file).c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    take_error(document, errno);
    return document;
  }
  if (!S_ISLNK(status.st_mode)) {
    take_status(document, status);
    return document;
  }
  UniqueFd skill = open_folder(at, folder.c_str());
  UniqueFd target = skill ? open_beneath(skill.get(), file, O_PATH) : UniqueFd();
  if (!target || ::fstat(target.get(), &status) != 0) {
    take_error(document, errno);
  } else {
    take_status(document, status);
  }
  return document;
}

} // namespace

UniqueFd open_beneath(int folder, const char* name, int flags) {
  // A FIFO or a terminal in the place of the file must not hold us up.
  unsigned all = static_cast<unsigned>(flags) | O_CLOEXEC;
  if ((flags & O_PATH) == 0) {
    all |= O_NONBLOCK | O_NOCTTY;
  }
  open_how how{};
  how.flags = all;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long fd = ::syscall(SYS_openat2, folder, name, &how, sizeof how);
  if (fd < 0 && (errno == ENOSYS || errno == EPERM)) {
    // An older kernel, or a filter that forbids the call: then no link at all.
    fd = ::openat(folder, name, static_cast<int>(all) | O_NOFOLLOW);
  }
  return UniqueFd(static_cast<int>(fd));
}

DocumentFile find_document(int at, const std::string& name) {
  DocumentFile document = look(at, name, "SKILL.md");
  if (document.state == State::missing) {
    if (DocumentFile lower = look(at, name, "skill.md"); lower.state != State::missing) {
      lower.lower_case = true;
      return lower;
    }
  }
  return document;
}

} // namespace upskill::library
