#include "daemon/telemetry/trace_file.h"

#include "protocol/codec/writer.h"

#include <unistd.h>

namespace upskill::telemetry {
namespace {

std::int64_t microseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
}

} // namespace

TraceFile::TraceFile(LineFile file)
    : m_file(std::move(file)) {}

Result<TraceFile> TraceFile::create(const std::string& path) {
  TRY_ASSIGN(LineFile file, LineFile::create(path));
  // A first entry of our own, so that every later one can bring the comma before it, whatever
  // thread it comes from.
  std::string line = "[";
  JsonWriter writer(line);
  writer.begin_object();
  writer.field("name", "process_name");
  writer.field("ph", "M"); // metadata
  writer.field("pid", static_cast<std::int64_t>(::getpid()));
  writer.key("args");
  writer.begin_object();
  writer.field("name", "upskilld");
  writer.end_object();
  writer.end_object();
  file.append(line);
  return TraceFile(std::move(file));
}

void TraceFile::span(
    std::string_view category, std::string_view name, std::string_view id, Time start, Time end) {
  std::string line = ",";
  JsonWriter writer(line);
  writer.begin_object();
  writer.field("name", name);
  writer.field("cat", category);
  writer.field("ph", "X");
  writer.field("ts", microseconds(start.time_since_epoch()));
  writer.field("dur", microseconds(end - start));
  writer.field("pid", static_cast<std::int64_t>(::getpid()));
  writer.field("tid", static_cast<std::int64_t>(::gettid()));
  writer.key("args");
  writer.begin_object();
  writer.field("id", id);
  writer.end_object();
  writer.end_object();
  m_file.append(line);
}

} // namespace upskill::telemetry
