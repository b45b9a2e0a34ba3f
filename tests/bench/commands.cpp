#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/measure.h"

namespace upskill::bench {
namespace {

constexpr std::size_t k_skills = 1000;

} // namespace

void commands(const Settings& settings, const Report& report) {
  Home home(settings, settings.folder);
  make_skills(home.root(0), k_skills);
  home.start();
  home.enable_sync();

  struct Case {
    const char* name;
    std::vector<std::string> words;
    double bound;
  };

  for (const Case& one : {Case{"status", {"status"}, 2},
                          Case{"list", {"list"}, 5},
                          Case{"sync_status", {"sync", "status"}, 5},
                          Case{"sync_now", {"sync", "now"}, 2}}) {
    try {
      std::vector<double> taken =
          interleave(settings.runs * 4,
                     {[&] { return 1e3 * seconds_of([&] { home.command(one.words); }); },
                      [&] { return 1e3 * seconds_of([&] { Process({"/bin/true"}).wait(); }); }});
      report({std::string("commands.") + one.name,
              "ms",
              taken[0],
              taken[1],
              Judged::value,
              one.bound,
              true,
              "spawn to exit, 1,000 skills in 3 roots, nothing changed; floor: `true` (G7)"});
    } catch (const Problem& problem) {
      report({std::string("commands.") + one.name,
              "ms",
              0,
              0,
              Judged::nothing,
              0,
              true,
              problem.what()});
    }
  }
  home.stop();
}

} // namespace upskill::bench
