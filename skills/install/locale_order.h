#pragma once
#include <string>
#include <vector>

namespace upskill::install {

// Sorts texts as JavaScript's localeCompare does without options, in English (CLDR root): letters
// before their case, punctuation before digits before letters. Texts that are the same to it are in
// the order of their bytes, as all are where this system has no ICU.
void sort_as_javascript(std::vector<std::string>& texts);

} // namespace upskill::install
