// The pure core of sync under random edits, crashes and interference, in memory.
#include "tests/sync/arguments.h"
#include "tests/sync/disk.h"
#include "tests/sync/jobs.h"
#include "tests/sync/memory_world.h"

#include <cstdio>
#include <optional>

using namespace upskill::sync_test;

namespace {

#ifdef UPSKILL_SANITIZED
constexpr int k_sequences = 2'000;
#else
constexpr int k_sequences = 20'000;
#endif

std::optional<std::string> play(std::uint64_t seed, int steps) {
  try {
    MemoryWorld world(seed);
    for (int i = 0; i < steps; ++i) {
      world.step();
    }
    world.finish();
    return std::nullopt;
  } catch (const std::exception& violation) {
    return violation.what();
  }
}

} // namespace

int main(int count, char** words) {
  Arguments arguments = arguments_of(count, words);
  int sequences = arguments.sequences > 0 ? arguments.sequences : k_sequences;
  bool good = in_processes(arguments.jobs, [&](int job) {
    for (int i = job; i < sequences; i += arguments.jobs) {
      std::uint64_t seed = arguments.seed + static_cast<std::uint64_t>(i);
      if (auto broken = play(seed, arguments.steps)) {
        // Every prefix of a sequence is one too: the shortest that fails says most.
        int steps = 0;
        while (steps < arguments.steps && !play(seed, steps)) {
          ++steps;
        }
        std::printf("FAILED: %s\nagain: --seed %llu --sequences 1 --jobs 1 --steps %d\n",
                    broken->c_str(),
                    static_cast<unsigned long long>(seed),
                    steps);
        return false;
      }
    }
    return true;
  });
  std::printf("%d sequences in memory from seed %llu: %s\n",
              sequences,
              static_cast<unsigned long long>(arguments.seed),
              good ? "all invariants hold" : "FAILED");
  return good ? 0 : 1;
}
