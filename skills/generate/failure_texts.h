#pragma once
#include "skills/generate/other_texts.h"
#include "skills/generate/prompts.h"

#include <cstddef>
#include <vector>

namespace upskill::generate {

// Adds `case N task`, and for each answer that is shown `case N answer K` and `case N failed K`, in
// `budget` bytes with all that stands around them. Every case is there with its first answer, those
// that pass without the skill first (of more cases than have room, the first ones, and a line
// says how many are missing); then second answers and so on, while there is room. An answer that
// was given twice is shown once. The same failures give the same texts.
void add_failures(OtherTexts& texts, const std::vector<Failure>& failures, std::size_t budget);

} // namespace upskill::generate
