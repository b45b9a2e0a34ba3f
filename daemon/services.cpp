#include "daemon/services.h"

#include "daemon/telemetry/redact.h"

namespace upskill::daemon {

void Services::note_messages(std::string_view carrier,
                             std::uint64_t number,
                             telemetry::Direction direction,
                             std::string_view lines) {
  if (mirror != nullptr) {
    mirror->record(number, direction, lines);
  }
  if (log.shows(telemetry::LogLevel::verbose)) {
    std::string_view arrow = direction == telemetry::Direction::from_client ? "<-" : "->";
    log.verbose("{} {} {} {}", carrier, number, arrow, telemetry::loggable(lines));
  }
}

} // namespace upskill::daemon
