#include "tests/bench/bench.h"
#include "tests/bench/files.h"
#include "tests/bench/floors.h"
#include "tests/bench/home.h"
#include "tests/bench/measure.h"
#include "tests/bench/process.h"

#include <array>

namespace upskill::bench {
namespace {

constexpr std::size_t k_skills = 1000;
// Three agents that read no folder of another's, and their folders.
constexpr std::array<const char*, 3> k_agents = {"claude-code", "kiro-cli", "qoder"};
constexpr std::array<const char*, 3> k_folders = {".claude", ".kiro", ".qoder"};

class Machine {
public:
  Machine(const Settings& settings, const std::string& parent)
      : m_home(settings, parent) {
    for (const char* folder : k_folders) {
      make_folders(m_home.path() + "/" + folder + "/skills");
    }
    m_home.start();
  }

  ~Machine() { m_home.stop(); }

  void install(const std::string& source) const {
    std::vector<std::string> words = {"install", source, "--all", "--yes"};
    for (const char* agent : k_agents) {
      words.insert(words.end(), {"--agent", agent});
    }
    m_home.command(words);
  }

  double megabytes() const { return proc_number(m_home.daemon(), "status", "VmHWM") / 1024; }

  const Home& home() const { return m_home; }

private:
  Home m_home;
};

double installed(const Settings& settings, const std::string& parent, const std::string& source) {
  Machine machine(settings, parent);
  settle_disk(parent);
  return seconds_of([&] { machine.install(source); });
}

double copied(const std::string& parent, const std::string& source) {
  Scratch home(parent);
  for (std::size_t i = 0; i < k_agents.size(); ++i) {
    make_folders(home / std::to_string(i));
  }
  settle_disk(parent);
  return seconds_of([&] {
    for (std::size_t i = 0; i < k_agents.size(); ++i) {
      copy_staged(source, home / std::to_string(i));
    }
  });
}

void measure(const Settings& settings,
             const Report& report,
             const std::string& parent,
             const std::string& where) {
  Scratch scratch(parent);
  std::string source = scratch / "source";
  make_skills(source, k_skills);
  std::vector<double> taken = interleave(settings.runs,
                                         {[&] { return installed(settings, parent, source); },
                                          [&] { return copied(parent, source); }});
  report(
      {"install." + where,
       "ms",
       taken[0] * 1e3,
       taken[1] * 1e3,
       Judged::ratio,
       1.6,
       false,
       "`upskill install FOLDER --all`, spawn to exit: 1,000 skills scanned, stored and recorded, "
       "into 3 agents; floor: staged and renamed copies"});
}

} // namespace

void install(const Settings& settings, const Report& report) {
  measure(settings, report, "/dev/shm", "tmpfs");
  measure(settings, report, settings.folder, "disk");
}

void update_check(const Settings& settings, const Report& report) {
  Scratch scratch(settings.folder);
  std::string source = scratch / "source";
  make_skills(source, k_skills);
  Machine machine(settings, settings.folder);
  machine.install(source);
  report({"install.memory",
          "MB",
          machine.megabytes(),
          0,
          Judged::value,
          0,
          true,
          "most resident memory of the daemon that has installed them"});
  std::vector<double> taken = interleave(
      settings.runs * 4,
      {[&] {
         machine.home().command({"update", "--check"});
         return 0.0;
       },
       [&] { return 1e3 * seconds_of([&] {
                      machine.home().command({"update", "--check"});
                    }); },
       [&] {
         return 1e3 * seconds_of([&] {
                  machine.home().command({"install", source + "/" + skill_name(7), "--yes"});
                });
       },
       [&] { return 1e3 * seconds_of([&] { stat_walk(source); }); }});
  report(
      {"update_check",
       "ms",
       taken[1],
       taken[3],
       Judged::value,
       500,
       false,
       "`upskill update --check`, spawn to exit, 1,000 local skills, nothing new; floor: a stat of "
       "their source"});
  report({"install.unchanged",
          "ms",
          taken[2],
          0,
          Judged::value,
          15,
          false,
          "`upskill install` of a skill that is there already, spawn to exit"});
}

} // namespace upskill::bench
