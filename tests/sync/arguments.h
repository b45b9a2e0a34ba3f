#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace upskill::sync_test {

// What all these programs take.
struct Arguments {
  std::uint64_t seed = 1;
  int sequences = 0; // 0: the size that CTest runs
  int steps = 28;
  int jobs = 2;
  std::string replay = {}; // a file with a printed list of operations
  bool verbose = false;
};

// Over these defaults; ends the program on anything else.
inline Arguments arguments_of(int count, char** words, Arguments arguments = {}) {
  for (int i = 1; i < count; ++i) {
    std::string_view word = words[i];
    bool last = i + 1 == count;
    if (word == "--verbose") {
      arguments.verbose = true;
    } else if (word == "--seed" && !last) {
      arguments.seed = std::strtoull(words[++i], nullptr, 10);
    } else if (word == "--sequences" && !last) {
      arguments.sequences = std::atoi(words[++i]);
    } else if (word == "--steps" && !last) {
      arguments.steps = std::atoi(words[++i]);
    } else if (word == "--jobs" && !last) {
      arguments.jobs = std::atoi(words[++i]);
    } else if (word == "--replay" && !last) {
      arguments.replay = words[++i];
    } else {
      std::fprintf(stderr,
                   "usage: %s [--seed N] [--sequences N] [--steps N] [--jobs N] [--replay FILE]"
                   " [--verbose]\n",
                   words[0]);
      std::exit(2);
    }
  }
  return arguments;
}

} // namespace upskill::sync_test
