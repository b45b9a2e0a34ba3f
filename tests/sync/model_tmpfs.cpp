// Random operations on real folders with the real engine between them (sync facts, section 6).
#include "tests/sync/arguments.h"
#include "tests/sync/jobs.h"
#include "tests/sync/shrink.h"
#include "tests/sync/world.h"

#include <cstdio>
#include <optional>

using namespace upskill::sync_test;

namespace {

#ifdef UPSKILL_SANITIZED
constexpr int k_sequences = 200;
#else
constexpr int k_sequences = 2'000;
#endif

constexpr Weights k_weights = {8, 16, 6, 3, 3, 3, 6, 1, 3, 3, 2, 2, 2, 3, 1,  3,
                               3, 3,  2, 3, 1, 2, 1, 1, 1, 4, 1, 2, 2, 8, 22, 6,
                               3, 1,  1, 5, 3, 1, 5, 2, 2, 4, 3, 2, 0, 0, 0};

// What broke, if anything. The folder is kept when `keep` says so.
std::optional<std::string>
play(std::uint64_t seed, const Operations& operations, bool keep, bool verbose) {
  std::string folder = make_world_folder(fast_folder());
  std::optional<std::string> broken;
  std::size_t done = 0;
  try {
    World world(seed, folder);
    for (; done < operations.size(); ++done) {
      if (verbose) {
        std::printf("  %s", text_of({operations[done]}).c_str());
      }
      world.apply(operations[done]);
    }
    world.finish(static_cast<std::uint32_t>(seed % 100'003));
  } catch (const std::exception& violation) {
    broken = violation.what();
    if (keep) {
      broken = *broken + "\n(after " + std::to_string(done) + " operations; its world is kept in "
               + folder + ")";
    }
  }
  if (!broken || !keep) {
    remove_all(folder);
  }
  return broken;
}

bool report(std::uint64_t seed, const Operations& operations, const std::string& first) {
  // Shorter lists that fail in the same way, more or less.
  auto fails = [&](const Operations& fewer) { return play(seed, fewer, false, false).has_value(); };
  Operations few = shrunk(operations, fails);
  std::optional<std::string> broken = play(seed, few, true, false);
  std::printf("FAILED with --seed %llu: %s\nshrunk to %zu operations: %s\n%s",
              static_cast<unsigned long long>(seed),
              first.c_str(),
              few.size(),
              broken ? broken->c_str() : "(does not fail every time)",
              text_of(few).c_str());
  std::fflush(stdout);
  return false;
}

} // namespace

int main(int count, char** words) {
  Arguments arguments = arguments_of(count, words);
  if (!arguments.replay.empty()) {
    auto broken =
        play(arguments.seed, operations_of(read(arguments.replay)), true, arguments.verbose);
    std::printf("%s\n", broken ? broken->c_str() : "nothing is broken");
    return broken ? 1 : 0;
  }
  int sequences = arguments.sequences > 0 ? arguments.sequences : k_sequences;
  fast_folder();
  bool good = in_processes(arguments.jobs, [&](int job) {
    int failures = 0;
    for (int i = job; i < sequences && failures < 3; i += arguments.jobs) {
      std::uint64_t seed = arguments.seed + static_cast<std::uint64_t>(i);
      std::mt19937_64 random(seed * 0x9E3779B97F4A7C15U);
      Operations operations = random_operations(random, arguments.steps, k_weights);
      if (auto broken = play(seed, operations, false, arguments.verbose)) {
        failures += !report(seed, operations, *broken);
      }
    }
    return failures == 0;
  });
  std::printf("%d sequences from seed %llu: %s\n",
              sequences,
              static_cast<unsigned long long>(arguments.seed),
              good ? "all invariants hold" : "FAILED");
  return good ? 0 : 1;
}
