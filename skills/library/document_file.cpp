#include "skills/library/document_file.h"

#include "skills/library/beneath.h"
#include "skills/library/folder.h"

#include <fcntl.h>
#include <sys/stat.h>

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
