#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::telemetry {

// A file that is appended to and never grows far past a bound. A write that fails is dropped: a
// full disk must not stop the daemon.
// Owner: Log. Thread: one at a time.
class LogFile {
public:
  // Writes to standard error.
  LogFile() = default;
  static Result<LogFile> open(std::string path, std::size_t rotate_at, bool takes_stderr);

  void append(std::string_view line);
  void reopen();

  const std::string& path() const { return m_path; }

  int descriptor() const { return m_fd ? m_fd.get() : 2; }

private:
  Result<void> open_file();
  void rotate();

  std::string m_path;
  UniqueFd m_fd;
  std::size_t m_size = 0;
  std::size_t m_rotate_at = 0;
  bool m_takes_stderr = false;
};

// The path of standard error where it is a regular file, else empty.
std::string stderr_file();

} // namespace upskill::telemetry
