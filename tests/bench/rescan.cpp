#include "tests/bench/bench.h"
#include "tests/bench/engine_world.h"
#include "tests/bench/files.h"
#include "tests/bench/floors.h"
#include "tests/bench/measure.h"

#include <thread>

namespace upskill::bench {
namespace {

constexpr std::size_t k_skills = 1000;

void measure(const Settings& settings,
             const Report& report,
             const std::string& parent,
             const std::string& where) {
  Scratch scratch(parent);
  EngineWorld world(scratch / "home", 4, false);
  make_skills(world.root(0), k_skills);
  world.begin_anew();
  world.run_everything();
  // Files younger than 20 ms are not trusted by their times; and the first quiet look is the one
  // that notes them.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  world.run_everything();
  world.run_everything();
  std::vector<double> taken = interleave(
      settings.runs * 5,
      {[&] {
         return seconds_of([&] {
           sync::Round round = world.run_everything();
           require(round.in_sync == k_skills && round.steps.empty(), "something changed");
         });
       },
       [&] {
         return seconds_of([&] {
           std::size_t count = 0;
           for (std::size_t i = 0; i < world.roots(); ++i) {
             count += stat_walk(world.root(i));
           }
           require(count == world.roots() * k_skills * 5, "the trees are not complete");
         });
       }});
  report({"rescan." + where,
          "ms",
          taken[0] * 1e3,
          taken[1] * 1e3,
          Judged::ratio,
          1.5,
          false,
          "1,000 skills in 4 roots, nothing changed; floor: a stat walk"});
}

} // namespace

void rescan(const Settings& settings, const Report& report) {
  measure(settings, report, "/dev/shm", "tmpfs");
  measure(settings, report, settings.folder, "disk");
}

} // namespace upskill::bench
