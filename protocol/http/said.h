#pragma once
#include "protocol/http/status.h"
#include "protocol/mcp/session.h"

#include <string_view>

namespace upskill::http {

// What a session has written, by a look at its first bytes.
struct Said {
  enum class Kind { result, error, message };

  Kind kind = Kind::message; // message: a notification, or a request of ours
  int code = 0;              // of an error
};

// `line` is one that mcp::Session wrote: an answer's members come in the order that mcp/output.h
// gives them, so that a long result is not read.
Said look_at(std::string_view line);

// The HTTP status of a JSON answer (MCP facts, section 3). What reached a session in the legacy era
// is answered with 200 whatever became of it.
Status status_of(mcp::Era era, const Said& said);

} // namespace upskill::http
