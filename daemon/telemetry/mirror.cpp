#include "daemon/telemetry/mirror.h"

#include "daemon/telemetry/redact.h"
#include "protocol/codec/writer.h"

#include <fmt/format.h>

#include <ctime>

namespace upskill::telemetry {
namespace {

std::string now_in_utc() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  std::tm parts{};
  ::gmtime_r(&now.tv_sec, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
                     parts.tm_year + 1900,
                     parts.tm_mon + 1,
                     parts.tm_mday,
                     parts.tm_hour,
                     parts.tm_min,
                     parts.tm_sec,
                     now.tv_nsec / 1000);
}

} // namespace

Mirror::Mirror(LineFile file)
    : m_file(std::move(file)) {}

Result<Mirror> Mirror::create(const std::string& path) {
  TRY_ASSIGN(LineFile file, LineFile::create(path));
  return Mirror(std::move(file));
}

void Mirror::record(std::uint64_t session, Direction direction, std::string_view lines) {
  while (!lines.empty()) {
    std::size_t newline = lines.find('\n');
    std::string_view message = lines.substr(0, newline);
    lines.remove_prefix(newline == std::string_view::npos ? lines.size() : newline + 1);
    std::string line;
    JsonWriter writer(line);
    writer.begin_object();
    writer.field("time", now_in_utc());
    writer.field("session", session);
    writer.field("from", direction == Direction::from_client ? "client" : "server");
    writer.field("line", without_secrets(message));
    writer.end_object();
    m_file.append(line);
  }
  // A mirror is read while the daemon runs, and after it crashed.
  m_file.flush();
}

} // namespace upskill::telemetry
