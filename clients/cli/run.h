#pragma once
#include <span>

namespace upskill::cli {

// The whole of `upskill` but its bridge: reads the words, acts, prints, answers the exit code
// (decisions: Exit codes).
int run(std::span<char*> words);

} // namespace upskill::cli
