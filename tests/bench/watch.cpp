#include "tests/bench/bench.h"
#include "tests/bench/floors.h"
#include "tests/bench/home.h"
#include "tests/bench/measure.h"
#include "tests/bench/process.h"

#include <sys/inotify.h>

#include <thread>

namespace upskill::bench {
namespace {

constexpr std::size_t k_skills = 10'000;
constexpr auto k_idle = std::chrono::seconds(60);
constexpr auto k_leave = std::chrono::seconds(3); // the last command's connection ends

double bare_walk(const Home& home) {
  UniqueFd inotify(::inotify_init1(IN_CLOEXEC));
  return 1e3 * seconds_of([&] {
           std::size_t count = 0;
           for (std::size_t i = 0; i < Home::k_roots; ++i) {
             count += watch_walk(inotify.get(), home.root(i));
           }
           require(count >= k_skills, "not everything is there");
         });
}

// Milliseconds until the daemon has placed its watches and looked at what lies there.
double ready(Home& home) {
  return 1e3 * seconds_of([&] {
           home.start();
           home.wait_idle();
         });
}

} // namespace

void watch(const Settings& settings, const Report& report) {
  Home home(settings, settings.folder);
  make_skills(home.root(0), k_skills);
  double resident = 0;
  std::vector<double> taken = interleave(settings.runs,
                                         {[&] {
                                            double milliseconds = ready(home);
                                            resident =
                                                proc_number(home.daemon(), "status", "VmRSS");
                                            home.stop();
                                            return milliseconds;
                                          },
                                          [&] { return bare_walk(home); }});
  report({"watch.ready",
          "ms",
          taken[0],
          taken[1],
          Judged::ratio,
          2,
          false,
          "10,000 skill folders, from starting the daemon; floor: a bare inotify walk"});
  report({"watch.memory",
          "MB",
          resident / 1024,
          0,
          Judged::value,
          25,
          false,
          "of the daemon that watches them, resident"});

  home.start();
  home.wait_idle();
  std::this_thread::sleep_for(k_leave);
  double before = voluntary_switches(home.daemon());
  std::this_thread::sleep_for(k_idle);
  report({"watch.wake_ups",
          "",
          voluntary_switches(home.daemon()) - before,
          0,
          Judged::value,
          0,
          false,
          "voluntary context switches of all its threads in 60 s of quiet"});
  home.stop();
}

} // namespace upskill::bench
