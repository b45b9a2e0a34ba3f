#pragma once
#include "daemon/telemetry/line_file.h"

#include <chrono>
#include <string_view>

namespace upskill::telemetry {

// Chrome's trace format, the JSON array form: open it in chrome://tracing or Perfetto. They do
// without the closing bracket, so what a killed daemon leaves can be read there; after a clean end
// it is JSON for everybody. Owner: Daemon. Thread: any.
class TraceFile {
public:
  using Time = std::chrono::steady_clock::time_point;

  static Result<TraceFile> create(const std::string& path);
  TraceFile(TraceFile&&) = default;

  ~TraceFile() { finish(); }

  // One thing that took from `start` to `end`; `id` names the request it belongs to.
  void
  span(std::string_view category, std::string_view name, std::string_view id, Time start, Time end);

  // Ends the array; what is told later is left out.
  void finish() { m_file.finish("]"); }

private:
  explicit TraceFile(LineFile file);

  LineFile m_file;
};

} // namespace upskill::telemetry
