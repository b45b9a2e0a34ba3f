#include "tests/simulation/rounds.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace upskill::simulation {
namespace {

bool read_number(std::string_view text, std::size_t& number) {
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() && number > 0;
}

} // namespace

bool read_rounds(int count, char** words, Rounds& rounds, std::string_view flag, bool* given) {
  for (int i = 1; i < count; ++i) {
    std::string_view word = words[i];
    std::string_view value = i + 1 < count ? words[i + 1] : "";
    if (given != nullptr && word == flag) {
      *given = true;
    } else if ((word == "--seeds" && read_number(value, rounds.seeds))
               || (word == "--students" && read_number(value, rounds.students))) {
      ++i;
    } else {
      return false;
    }
  }
  return true;
}

void run_rounds(bench::Lines& lines, const Rounds& rounds, const Ask& ask, const Take& take) {
  std::vector<std::size_t> next; // each student's next seed
  for (std::size_t i = 0; i < std::min(rounds.students, rounds.seeds); ++i) {
    lines.send(ask(i, i + 1));
    next.push_back(i + 1 + rounds.students);
  }
  for (std::size_t i = 0; i < rounds.seeds; ++i) {
    std::size_t free = take(lines.receive());
    if (next[free] <= rounds.seeds) {
      lines.send(ask(free, next[free]));
      next[free] += rounds.students;
    }
  }
}

} // namespace upskill::simulation
