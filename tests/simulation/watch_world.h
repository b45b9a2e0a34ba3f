#pragma once
#include "tests/bench/home.h"
#include "tests/bench/lines.h"
#include "tests/bench/model_server.h"
#include "tests/simulation/rounds.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace upskill::simulation {

// What all accepted versions did together.
struct Accepted {
  double passed = 0;
  double samples = 0;
};

struct Verdict {
  std::string word = {}; // REGRESSED, OK, UNDECIDED
  std::size_t samples = 0;
};

// A home whose agents are in sync and whose daemon tests every saved skill by itself; a skill for
// each seed, with cases of its own, and students who draw at one rate where the skill has its
// marker and at another where it has lost it. Throws Problem where something is not as it should
// be. Owner: a simulation. Thread: its only one. Lifetime: of the daemon and the students.
class WatchWorld {
public:
  static constexpr std::size_t k_cases = 20;
  static constexpr std::size_t k_runs = 3;

  WatchWorld(const Rounds& rounds, double with_marker, double without);
  ~WatchWorld();

  // All of them, as many at a time as there are students.
  Accepted accept();
  // The way editors save, in Cursor's folder.
  void rewrite(std::size_t seed, std::size_t edit, bool keeps_marker) const;
  // Waits until the daemon has one of that edit; in the order of the edits.
  Verdict verdict(std::size_t seed, std::size_t edit);

private:
  bench::Home m_home;
  Rounds m_rounds;
  std::vector<std::unique_ptr<bench::ModelServer>> m_students = {};
  UniqueFd m_socket = {};
  std::unique_ptr<bench::Lines> m_lines = {};
  std::vector<std::string> m_hashes; // of the last version that was seen, by seed
};

} // namespace upskill::simulation
