#include "tests/bench/bench.h"
#include "tests/bench/engine_world.h"
#include "tests/bench/files.h"
#include "tests/bench/floors.h"
#include "tests/bench/measure.h"
#include "tests/bench/process.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace upskill::bench {
namespace {

constexpr std::size_t k_skills = 1000;
constexpr std::size_t k_copies = 3;

// Seconds of a first sync, from opening the empty store on.
double synchronise(const std::string& home, const std::string& source, bool links) {
  EngineWorld world(home, k_copies + 1, links);
  remove_all(world.root(0));
  require(Process({"/bin/cp", "-r", source, world.root(0)}).wait() == 0, "cp failed");
  settle_disk(home);
  double taken = seconds_of([&] {
    world.begin_anew();
    sync::Round round = world.run_everything();
    require(round.steps.size() == k_skills * k_copies, "not everything was copied");
  });
  remove_all(home);
  return taken;
}

template <class Copy> double copies(const std::string& home, const Copy& copy) {
  make_folders(home);
  settle_disk(home);
  double taken = seconds_of([&] {
    for (std::size_t i = 0; i < k_copies; ++i) {
      copy(home + "/copy" + std::to_string(i));
    }
  });
  remove_all(home);
  return taken;
}

void measure(const Settings& settings,
             const Report& report,
             const std::string& parent,
             const std::string& where) {
  Scratch scratch(parent);
  std::string source = scratch / "source";
  make_skills(source, k_skills);
  std::string home = scratch / "home";
  std::vector<double> taken =
      interleave(settings.runs,
                 {[&] { return synchronise(home, source, false); },
                  [&] {
                    return copies(home, [&](const std::string& to) {
                      make_folders(to);
                      copy_staged(source, to);
                    });
                  },
                  [&] {
                    return copies(home, [&](const std::string& to) {
                      require(Process({"/bin/cp", "-r", source, to}).wait() == 0, "cp failed");
                    });
                  },
                  [&] { return synchronise(home, source, true); }});
  report({"first_sync." + where,
          "ms",
          taken[0] * 1e3,
          taken[1] * 1e3,
          Judged::ratio,
          1.5,
          false,
          "1,000 skills into 3 roots; floor: staged and renamed copies"});
  report({"first_sync.cp_" + where,
          "ms",
          taken[0] * 1e3,
          taken[2] * 1e3,
          Judged::ratio,
          0.9,
          true,
          "the same against `cp -r` three times (G6)"});
  report({"first_sync.links_" + where,
          "ms",
          taken[3] * 1e3,
          taken[2] * 1e3,
          Judged::ratio,
          0.5,
          true,
          "links in the 3 roots against `cp -r` three times (G6)"});
}

// Most memory of a process that does one first sync and nothing else.
double peak_megabytes() {
  Scratch scratch("/dev/shm");
  make_skills(scratch / "source", k_skills);
  int status = 0;
  rusage usage{};
  pid_t child = ::fork();
  if (child == 0) {
    try {
      synchronise(scratch / "home", scratch / "source", false);
      ::_exit(0);
    } catch (const std::exception&) {
      ::_exit(1);
    }
  }
  require(::wait4(child, &status, 0, &usage) == child && status == 0, "a first sync failed");
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

} // namespace

void first_sync(const Settings& settings, const Report& report) {
  report({"first_sync.memory",
          "MB",
          peak_megabytes(),
          0,
          Judged::value,
          24,
          true,
          "most resident memory while it runs (G6)"});
  measure(settings, report, "/dev/shm", "tmpfs");
  measure(settings, report, settings.folder, "disk");
}

} // namespace upskill::bench
