#pragma once
#include "protocol/base/result.h"

#include <string>
#include <string_view>

namespace upskill::cli {

// A person is at the other end of stdin and stderr.
bool can_ask();

enum class Reply { yes, no, interrupted };

// Asks on stderr and reads a line from stdin; anything but y or yes is no.
Reply ask(std::string_view question);

// Asks on stderr and reads a line from stdin, of at most 4,000 bytes; `cancelled` when interrupted.
// A terminal that has gone answers an empty line.
Result<std::string> ask_line(std::string_view question);

} // namespace upskill::cli
