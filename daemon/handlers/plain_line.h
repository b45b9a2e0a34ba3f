#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::daemon {

// What others wrote, as part of one line that a person reads and decides by: at most `bytes` of it,
// without line breaks, control characters, what changes the order of writing, and back-ticks.
std::string plain_line(std::string_view text, std::size_t bytes = 300);

} // namespace upskill::daemon
