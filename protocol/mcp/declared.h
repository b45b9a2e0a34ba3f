#pragma once
#include "protocol/mcp/answer.h"
#include "protocol/mcp/call.h"
#include "protocol/rpc/message.h"

#include <optional>
#include <string>

namespace upskill::mcp {

// What a modern request says about its client in `_meta`.
struct Declared {
  ClientCapabilities client = {};
  std::optional<LogLevel> log_level = {};
};

// Reads it, and remembers the last capabilities, because they rarely change.
// Owner: a session, or who looks at requests before one. Thread: the owner's.
class DeclaredReader {
public:
  // Why the request is refused; nothing when `declared` is filled in.
  std::optional<Refusal> read(const rpc::Message& message, Declared& declared);

private:
  std::string m_last = {}; // JSON text
  ClientCapabilities m_client = {};
};

// A member of `_meta` that has not the form it must have.
Refusal malformed_meta(std::string_view key, std::string_view what);

} // namespace upskill::mcp
