#include "skills/sync/put_skill.h"
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

sync::PlaceOrder order_of(const std::string& source) {
  sync::PlaceOrder order;
  for (std::size_t i = 0; i < k_skills; ++i) {
    sync::Placement& one = order.skills.emplace_back();
    one.skill = skill_name(i);
    one.reason = "installed from a folder";
    one.content = [folder = source + "/" + one.skill]() -> Result<sync::SharedFiles> {
      TRY_ASSIGN(std::optional<sync::PlacedSkill> skill, sync::read_placed(folder));
      return std::make_shared<const sync::NewFiles>(std::move(skill->files));
    };
  }
  return order;
}

// Seconds of an install, from opening the empty store on.
double place(const std::string& home, const std::string& source) {
  EngineWorld world(home, k_copies, false);
  settle_disk(home);
  double taken = seconds_of([&] {
    world.begin_anew();
    auto placed = world.engine().place(order_of(source), moment());
    require(placed.has_value(), placed ? "" : placed.error().message);
    require(placed->size() == k_skills && placed->back().paths.size() == k_copies,
            "not everything was placed");
  });
  remove_all(home);
  return taken;
}

double copies(const std::string& home, const std::string& source) {
  make_folders(home);
  settle_disk(home);
  double taken = seconds_of([&] {
    for (std::size_t i = 0; i < k_copies; ++i) {
      const std::string to = home + "/copy" + std::to_string(i);
      make_folders(to);
      copy_staged(source, to);
    }
  });
  remove_all(home);
  return taken;
}

// Seconds of a look at everything that was placed and not touched since.
double look(const std::string& home, const std::string& source) {
  EngineWorld world(home, k_copies, false);
  world.begin_anew();
  require(world.engine().place(order_of(source), moment()).has_value(), "nothing was placed");
  std::vector<std::string> names;
  for (std::size_t i = 0; i < k_skills; ++i) {
    names.push_back(skill_name(i));
  }
  ::usleep(50'000); // until no time of a file is young any more
  auto look = [&] {
    auto found = world.engine().look_at({}, names, moment());
    require(found && found->back().has_value(), "nothing was found");
  };
  look();
  double taken = seconds_of(look);
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
  std::vector<double> taken = interleave(
      settings.runs, {[&] { return place(home, source); }, [&] { return copies(home, source); }});
  report({"install_place." + where,
          "ms",
          taken[0] * 1e3,
          taken[1] * 1e3,
          Judged::ratio,
          1.6,
          true,
          "1,000 skills of a folder into 3 roots; floor: staged and renamed copies"});
}

double peak_megabytes() {
  Scratch scratch("/dev/shm");
  make_skills(scratch / "source", k_skills);
  int status = 0;
  rusage usage{};
  pid_t child = ::fork();
  if (child == 0) {
    try {
      place(scratch / "home", scratch / "source");
      ::_exit(0);
    } catch (const std::exception&) {
      ::_exit(1);
    }
  }
  require(::wait4(child, &status, 0, &usage) == child && status == 0, "an install failed");
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

} // namespace

void install_place(const Settings& settings, const Report& report) {
  report({"install_place.memory",
          "MB",
          peak_megabytes(),
          0,
          Judged::value,
          24,
          true,
          "most resident memory while it runs"});
  measure(settings, report, "/dev/shm", "tmpfs");
  measure(settings, report, settings.folder, "disk");
  Scratch scratch("/dev/shm");
  make_skills(scratch / "source", k_skills);
  report({"install_place.look",
          "ms",
          look(scratch / "home", scratch / "source") * 1e3,
          0,
          Judged::value,
          100,
          true,
          "what lies there of 1,000 untouched skills in 3 roots"});
}

} // namespace upskill::bench
