#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <mutex>
#include <string>
#include <string_view>

namespace upskill::telemetry {

// A file of lines written in blocks of about 64 KiB; the rest is written by flush() and at the end.
// A failed write switches it off: a debugging aid must not stop the daemon.
// Owner: Mirror, TraceFile. Thread: any.
class LineFile {
public:
  // Replaces what is there; mode 0600.
  static Result<LineFile> create(const std::string& path);
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&&) = delete;
  ~LineFile();

  void append(std::string_view line);
  void flush();
  // `line` is the last one; what is appended later is left out.
  void finish(std::string_view line);

private:
  explicit LineFile(UniqueFd fd);
  void take(std::string_view line);
  void write_out();

  std::mutex m_mutex;
  UniqueFd m_fd;
  std::string m_buffer;
};

} // namespace upskill::telemetry
