#include "tests/bench/bench.h"
#include "tests/bench/home.h"
#include "tests/bench/measure.h"
#include "tests/bench/plain_mirror.h"
#include "tests/bench/swaps.h"

#include <thread>

namespace upskill::bench {
namespace {

constexpr std::size_t k_skills = 1000;
constexpr std::size_t k_edits = 200; // a run
constexpr double k_quiet_ms = 100;   // settle time of what is no lone save
constexpr auto k_pause = std::chrono::milliseconds(5);

struct Trip {
  double half = 0;
  double most = 0;
};

enum class Save { rename, in_place, in_pieces };

// Milliseconds from the end of a save to the last swap.
double edit(const std::string& root, std::size_t number, int version, Save save, Swaps& swaps) {
  std::string name = skill_name(number);
  std::string path = root + "/" + name + "/SKILL.md";
  std::string text = "---\nname: " + name + "\ndescription: d\n---\n" + std::string(3000, 'x')
                     + std::to_string(version) + "\n";
  if (save == Save::in_pieces) {
    write_text(root + "/" + name + "/two.md", text);
    write_text(root + "/" + name + "/one.md", text);
  }
  (save == Save::in_place ? write_text : save_text)(path, text);
  std::int64_t begin = now_ns();
  return static_cast<double>(swaps.wait_ns(name) - begin) / 1e6;
}

Trip edits(const std::string& root, std::size_t count, Save save, Swaps& swaps) {
  static int version = 0;
  std::vector<double> taken;
  for (std::size_t i = 0; i < count; ++i) {
    // Prime steps, so that no two edits in a row are neighbours.
    taken.push_back(edit(root, (i * 7919) % k_skills, ++version, save, swaps));
    std::this_thread::sleep_for(k_pause); // the daemon records after it has swapped
  }
  return {percentile(taken, 0.5), percentile(taken, 0.99)};
}

// Medians of the runs.
Trip middle(std::vector<Trip> trips) {
  std::vector<double> half;
  std::vector<double> most;
  for (const Trip& trip : trips) {
    half.push_back(trip.half);
    most.push_back(trip.most);
  }
  return {median(half), median(most)};
}

void measure(const Settings& settings,
             const Report& report,
             const std::string& parent,
             const std::string& where) {
  Home home(settings, parent);
  make_skills(home.root(0), k_skills);
  home.start();
  home.enable_sync();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  home.command({"sync", "now"}); // notes the new copies' times

  Scratch other(parent);
  std::vector<std::string> plain;
  for (const char* name : {"a", "b", "c"}) {
    plain.push_back(other / name);
    make_skills(plain.back(), k_skills);
  }
  PlainMirror mirror(plain);
  settle_disk(parent);

  Swaps swaps({home.root(1), home.root(2)});
  Swaps plain_swaps({plain[1], plain[2]});
  std::vector<Trip> renamed;
  std::vector<Trip> floor;
  std::vector<Trip> written;
  std::vector<Trip> pieces;
  for (std::size_t run = 0; run < settings.runs; ++run) {
    renamed.push_back(edits(home.root(0), k_edits, Save::rename, swaps));
    floor.push_back(edits(plain[0], k_edits, Save::rename, plain_swaps));
    written.push_back(edits(home.root(0), k_edits, Save::in_place, swaps));
    pieces.push_back(edits(home.root(0), k_edits / 10, Save::in_pieces, swaps));
  }
  Trip least = middle(floor);
  auto line =
      [&](const char* name, double ours, double than, double bound, bool aim, const char* what) {
        report({std::string("save_to_swapped.") + name + "_" + where,
                "ms",
                ours,
                than,
                Judged::value,
                bound,
                aim,
                what});
      };
  line("p99",
       middle(renamed).most,
       least.most,
       5,
       false,
       "temporary file and rename: no settle time; floor: inotify, copy, swap");
  line("p50", middle(renamed).half, least.half, 1, true, "the same, p50 (G9)");
  line("g9_p99", middle(renamed).most, least.most, 2.5, true, "the same, p99 (G9)");
  line("in_place_p99",
       middle(written).most,
       least.most,
       5,
       false,
       "written in place: no settle time either");
  line("settled_p99",
       middle(pieces).most,
       least.most,
       k_quiet_ms + 5,
       false,
       "three files of a skill, one after the other: 100 ms of quiet");
  home.stop();
}

} // namespace

void save_to_swapped(const Settings& settings, const Report& report) {
  measure(settings, report, "/dev/shm", "tmpfs");
  measure(settings, report, settings.folder, "disk");
}

} // namespace upskill::bench
