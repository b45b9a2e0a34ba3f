#pragma once
#include <string>
#include <string_view>

namespace upskill::eval {

// Texts that anyone may have written, for HTML and XML 1.0 alike: `& < > " '` become references,
// bytes that are no UTF-8 and characters that XML forbids or HTML takes for errors (controls other
// than tab and line feed, U+FFFE, U+FFFF) become U+FFFD, and a carriage return a line feed.
void append_text(std::string& out, std::string_view text);

// The same for a value in double quotes, where a parser would make a blank of tab and line feed.
void append_attribute(std::string& out, std::string_view text);

} // namespace upskill::eval
