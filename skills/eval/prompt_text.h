#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

// Texts of others in a prompt. They are data: whoever wrote them must be able neither to end the
// part of the prompt that is theirs, nor to make it larger than it may be.
namespace upskill::eval {

// Valid UTF-8 of at most `limit` bytes and one line more: where it is longer its middle is left
// out, and the line says how much.
std::string cut_middle(std::string_view text, std::size_t limit);

// Letters and digits that occur in none of the texts, and that nobody who wrote one of them could
// know: they are of the hash of them all. The same texts have the same mark, so that the question
// is the same one, too.
std::string mark_for(std::span<const std::string> texts);

// `text` between two lines of its own, which have `name` and `mark` in them.
std::string fenced(std::string_view name, std::string_view text, std::string_view mark);

} // namespace upskill::eval
