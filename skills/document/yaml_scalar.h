#pragma once
#include <string>
#include <string_view>

namespace upskill::document {

// What a scalar means, given how it is written (YAML 1.2.2, chapters 7.3 and 8.1). The callers have
// checked that it is well formed; anything else still ends, with some text.

// `raw` is what stands between the quotes.
std::string single_quoted_text(std::string_view raw);
std::string double_quoted_text(std::string_view raw);

// `|`, `>-`, `|2+`: what stands on the line above a block scalar.
struct BlockHeader {
  bool folded = false;
  char chomping = ' '; // `-`, `+` or neither
  int indent = 0;      // spaces beyond the parent's; 0: those of the first line with text
};

// The header at the end of `before`, the text up to the block's first line.
BlockHeader find_block_header(std::string_view before);

// `raw` is the block's lines; `parent` is the column of the collection the scalar lies in.
std::string block_text(std::string_view raw, const BlockHeader& header, int parent);

} // namespace upskill::document
