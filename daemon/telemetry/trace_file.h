#pragma once
#include "daemon/telemetry/line_file.h"

#include <chrono>
#include <string_view>

namespace upskill::telemetry {

// Chrome's trace format (the JSON array form, whose closing bracket may be missing, so that a
// killed daemon leaves a readable file): open it in chrome://tracing or Perfetto. Owner: Daemon.
// Thread: any.
class TraceFile {
public:
  using Time = std::chrono::steady_clock::time_point;

  static Result<TraceFile> create(const std::string& path);

  // One thing that took from `start` to `end`; `id` names the request it belongs to.
  void
  span(std::string_view category, std::string_view name, std::string_view id, Time start, Time end);

  void flush() { m_file.flush(); }

private:
  explicit TraceFile(LineFile file);

  LineFile m_file;
};

} // namespace upskill::telemetry
