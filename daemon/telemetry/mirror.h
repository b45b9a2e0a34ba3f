#pragma once
#include "daemon/telemetry/line_file.h"

#include <cstdint>
#include <string_view>

namespace upskill::telemetry {

enum class Direction { from_client, to_client };

// Every message in both directions, one JSON object a line:
// `{"time":"2026-11-21T05:00:00.123456Z","session":3,"from":"client","line":"{...}"}`. `line` is
// the message as it was, as a string, because a client may send what is no JSON; only secrets are
// hidden. A user's session so becomes a test. Owner: Daemon. Thread: any.
class Mirror {
public:
  static Result<Mirror> create(const std::string& path);

  // `lines`: one or more whole messages, each with or without its newline.
  void record(std::uint64_t session, Direction direction, std::string_view lines);

private:
  explicit Mirror(LineFile file);

  LineFile m_file;
};

} // namespace upskill::telemetry
