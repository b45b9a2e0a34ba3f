#pragma once
#include "tests/bench/lines.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace upskill::simulation {

// What a simulation is asked for: `--seeds N`, `--students N`, and words of its own.
struct Rounds {
  std::size_t seeds = 100;
  std::size_t students = 3; // as many calls are under way at a time
};

// Whether every word is known; `flag` may be given as well, and is noted.
bool read_rounds(
    int count, char** words, Rounds& rounds, std::string_view flag = {}, bool* given = nullptr);

// The call of a student for a seed; its id is the student's number.
using Ask = std::function<std::string(std::size_t student, std::size_t seed)>;
// Takes an answer, and tells whose it is.
using Take = std::function<std::size_t(std::string_view answer)>;

// Every seed from 1 on once. Whose it is no clock decides: each student has every n-th.
void run_rounds(bench::Lines& lines, const Rounds& rounds, const Ask& ask, const Take& take);

} // namespace upskill::simulation
