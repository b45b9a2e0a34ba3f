#pragma once

namespace upskill::cli {

// Columns that a printable code point takes on a terminal: 0, 1 or 2. The C library's wcwidth needs
// a locale loaded, which costs more than a whole command.
int character_width(char32_t point);

} // namespace upskill::cli
