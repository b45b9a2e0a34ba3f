#pragma once
#include <string>
#include <string_view>

namespace upskill::evals {

// What a student without a workspace would have written into the file it was asked for: the content
// of the one fenced block of its answer, or the whole answer where there is none or more than one
// (CommonMark 0.31, 4.5: backticks or tildes, at least three). A block that is not closed is none.
std::string_view file_of_answer(std::string_view answer);

} // namespace upskill::evals
