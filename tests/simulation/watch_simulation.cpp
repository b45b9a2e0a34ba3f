// Watched skills whose truth is known: each is accepted, saved again where an editor would, and
// tested by the daemon by itself (README.md).
#include "tests/simulation/binomial.h"
#include "tests/simulation/rounds.h"
#include "tests/simulation/watch_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string_view>
#include <vector>

namespace {

using namespace upskill::bench;
using namespace upskill::simulation;

constexpr std::size_t k_whole = 200;  // from here on the shares themselves are held to the promise
constexpr double k_chance = 1e-6;     // that a short simulation fails what keeps them
constexpr double k_most_equal = 0.05; // called a regression

struct Truth {
  double accepted;
  double later;
  std::size_t edits;  // of the one accepted version
  double least_found; // of worse ones

  bool is_equal() const { return accepted == later; }
};

constexpr Truth k_truths[] = {
    {0.9, 0.9, 5, 0}, {0.6, 0.6, 1, 0}, {0.9, 0.7, 1, 0.85}, {0.95, 0.55, 1, 0.98}};

// Of one edit, or of any of a series.
struct Counts {
  std::size_t worse = 0;
  std::size_t good = 0;
  std::size_t undecided = 0;
  double samples = 0; // that the verdicts took
};

struct Outcome {
  Counts first = {};
  Counts any = {};
  double passed = 0; // of the accepted versions
  double drawn = 0;
};

// OK, UNDECIDED, REGRESSED: of a series counts the worst.
bool is_weaker(std::string_view one, std::string_view other) {
  auto rank = [](std::string_view word) {
    return word == "REGRESSED" ? 3 : word == "UNDECIDED" ? 2 : word == "OK" ? 1 : 0;
  };
  return rank(one) < rank(other);
}

void count(Counts& counts, const Verdict& verdict) {
  ++(verdict.word == "REGRESSED" ? counts.worse
     : verdict.word == "OK"      ? counts.good
                                 : counts.undecided);
  counts.samples += static_cast<double>(verdict.samples);
}

// All are saved at once, as a checkout does it, and then waited for.
Outcome simulate(const Rounds& rounds, Truth truth) {
  WatchWorld world(rounds, truth.accepted, truth.later);
  Outcome outcome;
  Accepted accepted = world.accept();
  outcome.passed = accepted.passed;
  outcome.drawn = accepted.samples;
  std::vector<Verdict> whole(rounds.seeds);
  for (std::size_t edit = 1; edit <= truth.edits; ++edit) {
    for (std::size_t seed = 1; seed <= rounds.seeds; ++seed) {
      world.rewrite(seed, edit, truth.is_equal());
    }
    for (std::size_t seed = 1; seed <= rounds.seeds; ++seed) {
      Verdict verdict = world.verdict(seed, edit);
      if (edit == 1) {
        count(outcome.first, verdict);
      }
      Verdict& all = whole[seed - 1];
      all.samples += verdict.samples;
      all.word = std::max(all.word, verdict.word, is_weaker);
    }
  }
  for (const Verdict& all : whole) {
    count(outcome.any, all);
  }
  return outcome;
}

bool is_kept(std::size_t seeds, Truth truth, const Counts& counts) {
  const double share = static_cast<double>(counts.worse) / static_cast<double>(seeds);
  if (truth.is_equal()) {
    return seeds >= k_whole ? share <= k_most_equal
                            : counts.worse <= most_likely(seeds, k_most_equal, k_chance);
  }
  return seeds >= k_whole
             ? share >= truth.least_found
             : seeds - counts.worse <= most_likely(seeds, 1 - truth.least_found, k_chance);
}

bool show(std::size_t seeds, Truth truth, std::string_view edits, const Counts& counts) {
  const bool kept = is_kept(seeds, truth, counts);
  fmt::print("{:.2f} {:.2f}  {:<9} {:<29} {:<29} {:<29} {:7.1f}  {}\n",
             truth.accepted,
             truth.later,
             edits,
             shown(counts.worse, seeds),
             shown(counts.good, seeds),
             shown(counts.undecided, seeds),
             counts.samples / static_cast<double>(seeds),
             kept ? "kept" : "NOT KEPT");
  return kept;
}

bool simulate_and_show(const Rounds& rounds, Truth truth) {
  auto begun = std::chrono::steady_clock::now();
  Outcome outcome = simulate(rounds, truth);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  bool kept = show(rounds.seeds, truth, "first", outcome.first);
  if (truth.edits > 1) {
    kept = show(rounds.seeds, truth, fmt::format("any of {}", truth.edits), outcome.any) && kept;
  }
  if (!is_drawn_at(outcome.passed, outcome.drawn, truth.accepted)) {
    fmt::print("  the students did not draw at their rate: {:.4f}\n",
               outcome.passed / outcome.drawn);
    kept = false;
  }
  fmt::print("  in {:.0f} s\n", took.count());
  std::fflush(stdout);
  return kept;
}

} // namespace

int main(int count, char** words) {
  Rounds rounds;
  if (!read_rounds(count, words, rounds)) {
    std::fputs("watch_simulation [--seeds N] [--students N]\n", stderr);
    return 2;
  }
  try {
    fmt::print(
        "{} skills each, {} cases, {} runs, {} students\n{:<11} {:<9} {:<29} {:<29} {:<29} {}\n",
        rounds.seeds,
        WatchWorld::k_cases,
        WatchWorld::k_runs,
        rounds.students,
        "rates",
        "edits",
        "regressed",
        "ok",
        "undecided",
        "samples");
    bool is_good = true;
    for (Truth truth : k_truths) {
      is_good = simulate_and_show(rounds, truth) && is_good;
    }
    return is_good ? 0 : 1;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "watch_simulation: %s\n", problem.what());
    return 3;
  }
}
