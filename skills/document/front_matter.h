#pragma once
#include <cstddef>
#include <string_view>

namespace upskill::document {

enum class FenceState {
  closed,   // `---`, YAML, `---`: the normal case
  unclosed, // an opening fence only: half written, or damaged
  missing   // no opening fence
};

// Where the parts of a SKILL.md lie; all views point into the bytes that were split.
struct FrontMatterSplit {
  FenceState state = FenceState::missing;
  std::string_view yaml =
      {}; // between the fences, with its last newline; unclosed: all that follows
  std::string_view body = {}; // what follows the closing fence's line; missing: the whole text
  std::size_t yaml_line = 2;  // line of the file on which `yaml` begins, counted from 1
  bool byte_order_mark = false;
  bool leading_blank = false; // white space before the opening fence
  bool opening_blank = false; // spaces or tabs after the opening fence
};

// The tolerant reader's rule (skills facts, 7.4): a byte order mark, white space before the opening
// fence, CRLF and spaces after a fence do no harm, and only a line of its own is a fence, so that
// `---` may occur in a value. Looks at no more than it must: about 0.1 us for a usual file.
FrontMatterSplit split_front_matter(std::string_view bytes);

// The reference validator's rule (skills facts, 3.2): the text must begin with `---`, and the first
// two `---` anywhere are the fences, even inside a value. `yaml` begins right after the first.
FrontMatterSplit split_as_reference(std::string_view text);

// As tolerant about the opening, but the first line that begins with `---` closes, whatever
// follows: what most loaders' regular expressions and searches do.
FrontMatterSplit split_at_prefix(std::string_view bytes);

// The regular expression of quick_validate: line 1 is exactly `---`, and the first line that begins
// with
// `---` closes. A final CR belongs to the newline.
FrontMatterSplit split_exactly(std::string_view bytes);

} // namespace upskill::document
