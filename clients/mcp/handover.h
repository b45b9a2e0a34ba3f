#pragma once
#include "protocol/base/result.h"

#include <array>
#include <string>
#include <string_view>

namespace upskill::mcp {

// The bridge's first line with [agent's input, agent's output, memfd] attached to its first byte.
Result<void> send_handover(int socket, const std::array<int, 3>& descriptors);

// What the daemon says to a bridge; `closed` when it went without a word.
enum class Word { accepted, refused, ended, stopping, closed, other };

struct Notice {
  Word word = Word::other;
  std::string message = {}; // of a refusal
  std::string hint = {};
};

Notice read_notice(std::string_view line);

// A new memfd for what must survive the daemon, empty; the daemon lays it out.
Result<int> make_session_memory();

} // namespace upskill::mcp
