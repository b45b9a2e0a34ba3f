#pragma once
#include <cstddef>
#include <string_view>

namespace upskill::redact {

// How far a private key's block goes. `size` 0: there is no key, only words about one.
struct BlockPart {
  std::size_t size = 0;
  bool is_open = false; // it ends with the text, and not with its foot
};

// What of the text behind a block's head belongs to it: lines of base64, whatever stands between
// them (line feeds, also escaped ones, quotes, line numbers, headers), and its foot. Without a foot
// it goes as far as its lines do.
BlockPart block_behind(std::string_view text);

// What of the text before a block's foot belongs to it, where its head is not there.
BlockPart block_before(std::string_view text);

// The same at the start of a text that goes on where another one ended in the middle of a block.
BlockPart block_continued(std::string_view text);

} // namespace upskill::redact
