#include "tests/bench/bench.h"
#include "tests/bench/measure.h"
#include "tests/bench/process.h"
#include "tests/bench/watched.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

namespace upskill::bench {
namespace {

constexpr std::size_t k_saves = 100; // a run
constexpr double k_save_ms = 50;
constexpr double k_cached_ms = 150;
constexpr double k_many_ms = 1000;
constexpr auto k_no_haste = std::chrono::milliseconds(2'500); // else a test waits for quiet
constexpr auto k_idle = std::chrono::seconds(30);
constexpr auto k_pause = std::chrono::milliseconds(20); // the sync engine trusts a file's times

bool is_at_rest(const WatchedNow& now) {
  return now.state == "idle" || now.state == "waiting";
}

// Of the same save: until it is told, and until the last copy is swapped in.
struct Trips {
  std::vector<double> told = {};
  std::vector<double> swapped = {};

  void add(std::int64_t begin, std::int64_t swap, std::int64_t end) {
    swapped.push_back(static_cast<double>(swap - begin) / 1e6);
    told.push_back(static_cast<double>(end - begin) / 1e6);
  }
};

void report_trips(const Report& report,
                  const std::string& name,
                  const Trips& trips,
                  double bound,
                  const std::string& what) {
  auto line = [&](const char* share, double at, Judged judged) {
    report({name + share,
            "ms",
            percentile(trips.told, at),
            percentile(trips.swapped, at),
            judged,
            bound,
            false,
            what + "; floor: until the same save's last copy is swapped in"});
  };
  line(".p99", 0.99, Judged::value);
  line(".p50", 0.5, Judged::nothing);
}

// One save, and what is told of it.
void save(Watched& world,
          Trips& trips,
          Swaps& swaps,
          std::size_t number,
          std::size_t version,
          const std::function<bool(const WatchedNow&)>& is_it) {
  world.listen(number);
  world.save(number, version);
  std::int64_t begin = now_ns();
  std::int64_t swap = swaps.wait_ns(skill_name(number));
  world.wait(number, is_it);
  trips.add(begin, swap, now_ns());
  std::this_thread::sleep_for(k_pause);
}

} // namespace

void watch_save(const Settings& settings, const Report& report) {
  Watched world(settings);
  Swaps swaps = world.swaps();
  Trips trips;
  for (std::size_t i = 0; i < settings.runs * k_saves; ++i) {
    std::size_t number = (i * 7919) % Watched::k_skills;
    std::string before = world.wait(number, is_at_rest).hash;
    save(world, trips, swaps, number, i + 1, [&](const WatchedNow& now) {
      return now.hash != before;
    });
  }
  report_trips(report,
               "watch_save",
               trips,
               k_save_ms,
               "a save of one of 300 watched skills until a look at it is told (no settle time)");
}

void watch_cached(const Settings& settings, const Report& report) {
  Watched world(settings);
  std::string accepted = world.wait(0, is_at_rest).hash;
  world.save(0, 1);
  std::string other =
      world.wait(0, [&](const WatchedNow& now) { return is_at_rest(now) && now.hash != accepted; })
          .hash;
  world.test(0);
  world.home().wait_idle();
  Swaps swaps = world.swaps(); // what came before is none of its business
  Trips trips;
  for (std::size_t i = 0; i < settings.runs * k_saves; ++i) {
    std::string wanted = i % 2 == 0 ? accepted : other;
    save(world, trips, swaps, 0, i % 2, [&](const WatchedNow& now) {
      require(now.state != "waiting", "a verdict was forgotten: " + now.why);
      return now.state == "idle" && now.hash == wanted;
    });
  }
  report_trips(report,
               "watch_cached",
               trips,
               k_cached_ms,
               "a save of a version that has its verdict until that is told (no settle time)");
}

void watch_many(const Settings& settings, const Report& report) {
  Watched world(settings);
  Swaps swaps = world.swaps();
  std::vector<std::string> before(Watched::k_skills);
  std::set<std::string> names;
  for (std::size_t i = 0; i < Watched::k_skills; ++i) {
    before[i] = world.wait(i, is_at_rest).hash;
    names.insert(skill_name(i));
  }
  Trips trips;
  for (std::size_t run = 0; run < settings.runs; ++run) {
    std::this_thread::sleep_for(k_no_haste);
    for (std::size_t i = 0; i < Watched::k_skills; ++i) {
      world.save(i, run + 1);
    }
    std::int64_t begin = now_ns();
    std::int64_t swap = swaps.wait_all_ns(names);
    for (std::size_t i = 0; i < Watched::k_skills; ++i) {
      before[i] = world
                      .wait(i,
                            [&](const WatchedNow& now) {
                              return now.state == "waiting" && now.hash != before[i];
                            })
                      .hash;
    }
    trips.add(begin, swap, now_ns());
  }
  double slowest = 0;
  for (std::size_t i = 0; i < trips.told.size(); ++i) {
    slowest = std::max(slowest, trips.told[i] - trips.swapped[i]);
  }
  report({"watch_many",
          "ms",
          slowest,
          percentile(trips.swapped, 1),
          Judged::value,
          k_many_ms,
          false,
          "300 watched skills saved at once: planned so long behind their last copy, the slowest "
          "run; floor: from the last save until that copy is swapped in"});
}

void watch_idle(const Settings& settings, const Report& report) {
  Watched world(settings);
  Home::rest();
  double switches_before = voluntary_switches(world.home().daemon());
  double cpu_before = cpu_seconds(world.home().daemon());
  std::this_thread::sleep_for(k_idle);
  double switches = voluntary_switches(world.home().daemon()) - switches_before;
  double cpu = cpu_seconds(world.home().daemon()) - cpu_before;
  report({"watch_idle.wake_ups",
          "",
          switches,
          0,
          Judged::value,
          0,
          false,
          "voluntary context switches of all threads in 30 s of quiet, 300 skills watched"});
  report({"watch_idle.cpu",
          "ms",
          1e3 * cpu,
          0,
          Judged::value,
          0,
          false,
          "of the processor meanwhile"});
}

} // namespace upskill::bench
