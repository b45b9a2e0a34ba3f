// Random operations on real folders while the real daemon is killed and started again (sync facts,
// section 6: crash, then restart converges). The operations follow from the seed; when the daemon
// gets how far does not, so a failure may need several runs to show again.
#include "tests/sync/arguments.h"
#include "tests/sync/daemon_world.h"
#include "tests/sync/jobs.h"

#include <cstdio>

using namespace upskill::sync_test;

namespace {

#ifdef UPSKILL_SANITIZED
constexpr int k_sequences = 20;
#else
constexpr int k_sequences = 200;
#endif
// Most of the time is spent waiting for grace periods.
constexpr int k_jobs = 16;

constexpr Weights k_weights = [] {
  Weights weights{};
  auto set = [&](Kind kind, unsigned weight) { weights[static_cast<std::size_t>(kind)] = weight; };
  set(Kind::write_skill, 14);
  set(Kind::edit_skill, 14);
  set(Kind::edit_file, 6);
  set(Kind::add_file, 3);
  set(Kind::delete_file, 3);
  set(Kind::toggle_exec, 2);
  set(Kind::delete_skill, 4);
  set(Kind::rename_skill, 3);
  set(Kind::replace_folder, 2);
  set(Kind::link_skill, 2);
  set(Kind::delete_link, 1);
  set(Kind::root_vanishes, 1);
  set(Kind::root_returns, 3);
  set(Kind::root_emptied, 1);
  set(Kind::half_write, 2);
  set(Kind::fill, 4);
  set(Kind::swap_content, 1);
  set(Kind::touch, 1);
  set(Kind::unknown_folder, 1);
  set(Kind::ignored_content, 2);
  set(Kind::excluded_skill, 1);
  set(Kind::restart, 8);
  set(Kind::kill_daemon, 10);
  set(Kind::kill_in_round, 12);
  set(Kind::come_to_rest, 5);
  return weights;
}();

// False when something broke; its world is kept then.
bool play(std::uint64_t seed, const Operations& operations, bool verbose) {
  std::string folder = make_world_folder(fast_folder());
  std::size_t done = 0;
  try {
    DaemonWorld world(seed, folder);
    for (; done < operations.size(); ++done) {
      if (verbose) {
        std::printf("  %s", text_of({operations[done]}).c_str());
      }
      world.apply(operations[done]);
    }
    world.finish(static_cast<std::uint32_t>(seed % 100'003));
  } catch (const std::exception& violation) {
    std::printf(
        "FAILED with --seed %llu --sequences 1: %s\n(after %zu of %zu operations; its world "
        "is kept in %s)\n%s",
        static_cast<unsigned long long>(seed),
        violation.what(),
        done,
        operations.size(),
        folder.c_str(),
        text_of(operations).c_str());
    std::fflush(stdout);
    return false;
  }
  remove_all(folder);
  return true;
}

} // namespace

int main(int count, char** words) {
  Arguments arguments = arguments_of(count, words, {.jobs = k_jobs});
  if (!arguments.replay.empty()) {
    bool good = play(arguments.seed, operations_of(read(arguments.replay)), arguments.verbose);
    std::printf("%s\n", good ? "nothing is broken" : "FAILED");
    return good ? 0 : 1;
  }
  int sequences = arguments.sequences > 0 ? arguments.sequences : k_sequences;
  fast_folder();
  bool good = in_processes(std::min(arguments.jobs, sequences), [&](int job) {
    int failures = 0;
    for (int i = job; i < sequences && failures < 2; i += arguments.jobs) {
      std::uint64_t seed = arguments.seed + static_cast<std::uint64_t>(i);
      std::mt19937_64 random(seed * 0x9E3779B97F4A7C15U);
      failures +=
          !play(seed, random_operations(random, arguments.steps, k_weights), arguments.verbose);
    }
    return failures == 0;
  });
  std::printf("%d sequences from seed %llu: %s\n",
              sequences,
              static_cast<unsigned long long>(arguments.seed),
              good ? "all invariants hold" : "FAILED");
  return good ? 0 : 1;
}
