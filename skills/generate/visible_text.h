#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::generate {

// A text that says what it shows.
struct VisibleText {
  std::string text = {};
  std::size_t removed = 0; // characters
};

// Valid UTF-8 whose lines end with a line feed, whatever ended them, without what hides or turns
// text around: control characters but tab and line feed, bidirectional marks, tag characters,
// zero-width spaces. The joiners of scripts and emoji stay.
VisibleText visible_text(std::string_view text);

// The same on one line, with single spaces between words and none at the ends.
std::string one_line(std::string_view text);

} // namespace upskill::generate
