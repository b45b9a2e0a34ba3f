#include "daemon/telemetry/log_file.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>

namespace upskill::telemetry {

Result<LogFile> LogFile::open(std::string path, std::size_t rotate_at, bool takes_stderr) {
  LogFile file;
  file.m_path = std::move(path);
  file.m_rotate_at = rotate_at;
  file.m_takes_stderr = takes_stderr;
  TRY(make_directories(parent_path(file.m_path), 0700));
  TRY(file.open_file());
  return file;
}

Result<void> LogFile::open_file() {
  UniqueFd fd(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) {
    return fail(system_error(errno, "the log file `" + m_path + "` cannot be opened"));
  }

  struct stat status {};

  m_size = ::fstat(fd.get(), &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  m_fd = std::move(fd);
  if (m_takes_stderr) {
    ::dup2(m_fd.get(), 2);
  }
  return {};
}

void LogFile::append(std::string_view line) {
  if (m_fd && m_size > m_rotate_at) {
    rotate();
  }
  m_size += line.size();
  while (!line.empty()) {
    ssize_t written = ::write(descriptor(), line.data(), line.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return;
    }
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

void LogFile::rotate() {
  // Where the rename fails the file goes on growing until it works; where the new file cannot be
  // opened the old descriptor goes on.
  ::rename(m_path.c_str(), (m_path + ".1").c_str());
  (void)open_file();
}

void LogFile::reopen() {
  if (m_fd) {
    (void)open_file();
  }
}

std::string stderr_file() {
  struct stat status {};

  char buffer[PATH_MAX];
  if (::fstat(2, &status) != 0 || !S_ISREG(status.st_mode)) {
    return {};
  }
  ssize_t length = ::readlink("/proc/self/fd/2", buffer, sizeof buffer);
  std::string path(buffer, length > 0 ? static_cast<std::size_t>(length) : 0);

  struct stat named {};

  bool is_that_file = ::lstat(path.c_str(), &named) == 0 && named.st_ino == status.st_ino
                      && named.st_dev == status.st_dev;
  return is_that_file ? path : std::string();
}

} // namespace upskill::telemetry
