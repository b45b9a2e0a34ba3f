#pragma once
#include <span>
#include <string_view>

namespace upskill::hook {

// How long an agent is waited for that does not say what it wants to, in milliseconds.
struct Patience {
  long silence = 2000;    // between two pieces
  long after_brace = 100; // where what was said ends with a brace, and may be all
  long total = 5000;
};

// Reads what an agent says to its hook, until it ends. The first `kept.size()` bytes are kept, the
// rest is read and dropped: an agent that cannot finish writing would fail. What comes back lies in
// `kept`, and is less than was said where the agent was not waited for any longer.
std::string_view read_input(int fd, std::span<char> kept, const Patience& patience = {});

} // namespace upskill::hook
