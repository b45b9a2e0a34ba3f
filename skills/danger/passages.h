#pragma once
#include "skills/danger/rule.h"
#include "skills/document/front_matter.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace upskill::danger {

inline constexpr std::size_t k_longest_passage = 2048; // bytes; longer ones are cut
inline constexpr std::size_t k_overlap = 256;          // bytes that two pieces have in common
inline constexpr std::uint32_t k_no_passage = 0xFFFFFFFF;

// A piece of a file that belongs together: a paragraph, a command with what it goes on to on the
// next lines, a line. Pieces may lie over each other.
struct Passage {
  Place place = Place::data;
  std::size_t begin = 0; // bytes in the file
  std::size_t end = 0;
  std::uint32_t before = k_no_passage;  // what introduces it: the prose or comment right before
                                        // code, the paragraph before a list or a table
  std::uint32_t heading = k_no_passage; // the heading that it stands below
  std::string_view language = {};       // of its fence
};

// Markdown, whose front matter is `parts.yaml` where it has one. `parts` has views of `text`.
std::vector<Passage> split_markdown(std::string_view text, const document::FrontMatterSplit& parts);

// A program (`script`), with commands that go on over lines, or any other text (`data`), by lines.
std::vector<Passage> split_lines(std::string_view text, Place place);

} // namespace upskill::danger
