#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// The lines of a reply in markdown, and the code blocks in it. Lines are without their line feed.
namespace upskill::generate {

using Lines = std::span<const std::string_view>;

std::vector<std::string_view> split_lines(std::string_view text);
// Each with its line feed.
std::string join_lines(Lines lines);
bool is_blank(std::string_view line);
// Of the first line at or behind `from` that is not blank; lines.size() where none is.
std::size_t next_text(Lines lines, std::size_t from);

// A line that begins or ends a code block (CommonMark 0.31, 4.5).
struct Fence {
  char mark = '`'; // or `~`
  std::size_t length = 3;
  std::string_view info = {}; // the language; a line that ends a block has none
};

std::optional<Fence> fence_of(std::string_view line);

// The line that ends the block which begins at `open`; lines.size() where none does. Blocks within
// a block whose fences are as long as its own are taken for parts of it, as models write them: one
// with a language begins a block, and one without ends the whole where an empty line, a further
// file or nothing follows.
std::size_t end_of_block(Lines lines, std::size_t open);

} // namespace upskill::generate
