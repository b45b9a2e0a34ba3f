// Ends the process before and after each change that an order of a person makes (a skill that is
// new and one that is updated, in two roots; two that are taken away; one from some agents; or one
// in a root that has to be made), or fails it. Afterwards the folders are as they were before it,
// or, where it came to its end, all as it wants them; and sync has nothing left to do.
#include "protocol/base/paths.h"
#include "skills/sync/engine_state.h"
#include "tests/sync/arguments.h"
#include "tests/sync/disk.h"
#include "tests/sync/jobs.h"
#include "tests/sync/watched_files.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <span>

using namespace upskill;
using namespace upskill::sync_test;

namespace {

enum class Harm { exit_before, exit_after, exit_within, fail_once, fail_on };

constexpr std::array k_harms = {
    Harm::exit_before, Harm::exit_after, Harm::exit_within, Harm::fail_once, Harm::fail_on};

sync::Placement
version(const std::string& name, const std::string& text, const std::string& reason) {
  sync::Placement one;
  one.skill = name;
  one.reason = reason;
  one.content = [name, text]() -> Result<sync::SharedFiles> {
    return std::make_shared<const sync::NewFiles>(sync::NewFiles{
        {"SKILL.md", {"---\nname: " + name + "\n---\n" + text + "\n"}}, {"notes/one.md", {text}}});
  };
  return one;
}

class Scene {
public:
  Scene(std::string folder, bool exchange, bool enabled, bool neighbours)
      : m_folder(std::move(folder)) {
    files.can_exchange = exchange;
    setup.enabled = enabled;
    setup.policy = SyncPolicy::mirror;
    for (std::size_t i = 0; i < 3; ++i) {
      sync::RootSetup& root = setup.roots.emplace_back();
      root.path = m_folder
                  + (i == 2       ? "/.cursor/"
                     : neighbours ? "/.opencode/"
                     : i == 0     ? "/.agents/"
                                  : "/.claude/")
                  + (neighbours && i == 0 ? "skill" : "skills");
      root.agents = {"agent" + std::to_string(i)};
      if (i < 2) { // the last one is made when something is placed there
        make_folders(root.path);
      }
      sync::AgentSetup& agent = setup.agents.emplace_back();
      agent.id = root.agents.front();
      agent.reads = {static_cast<sync::RootIndex>(i)};
      agent.preferred = static_cast<sync::RootIndex>(i);
      agent.follows_links = true;
    }
    make_folders(m_folder + "/state");
    make_folders(m_folder + "/data");
  }

  void open() {
    engine.reset();
    sync::EngineOptions options;
    options.database = m_folder + "/state/sync.db";
    options.objects = m_folder + "/data/objects";
    options.trash = m_folder + "/data/trash";
    options.conflicts = m_folder + "/data/conflicts";
    auto opened = sync::Engine::open(options, files, now());
    if (!opened) {
      throw Violation("the engine does not open: " + opened.error().message);
    }
    engine = std::make_unique<sync::Engine>(std::move(*opened));
    if (auto done = engine->configure({setup}, now()); !done) {
      throw Violation("the engine cannot be configured: " + done.error().message);
    }
  }

  bool place(std::vector<sync::Placement> skills) {
    sync::PlaceOrder order;
    order.skills = std::move(skills);
    return engine->place(order, now()).has_value();
  }

  sync::Moment now() const {
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return {time.tv_sec * 1000 + time.tv_nsec / 1'000'000, steady_ms};
  }

  // What lies where.
  std::map<std::string, std::string> picture() const {
    std::map<std::string, std::string> all;
    for (const sync::RootSetup& root : setup.roots) {
      for (const std::string& name : names_in(root.path)) {
        if (!name.starts_with('.')) {
          const sync::ReadResult seen = sync_test::look(root.path, name);
          all[root.path + "/" + name] =
              seen.stat.presence == sync::Presence::link ? "link" : seen.tree.hash().hex();
        }
      }
    }
    return all;
  }

  // The roots that are there from the start.
  std::span<const sync::RootSetup> old_roots() const { return std::span(setup.roots).first(2); }

  // What is no content stays where it is, in its own root.
  bool has_ignored() const {
    return std::ranges::all_of(old_roots(), [](const sync::RootSetup& root) {
      return exists(root.path + "/old/.git/config")
             && read(root.path + "/old/.git/config") == root.path;
    });
  }

  // Folders of agents, and what they lie in.
  std::vector<std::string> folders() const {
    std::vector<std::string> all;
    for (const sync::RootSetup& root : setup.roots) {
      for (const std::string& folder : {parent_path(root.path), root.path}) {
        if (exists(folder)) {
          all.push_back(folder);
        }
      }
    }
    return all;
  }

  std::size_t entries() const { return engine->log({.limit = 1000})->entries.size(); }

  WatchedFiles files;
  sync::ScopeSetup setup;
  std::unique_ptr<sync::Engine> engine;
  std::int64_t steady_ms = 1'000;

private:
  std::string m_folder;
};

struct Scenario {
  const char* name;
  bool (*act)(Scene&);
  bool deletes;
  std::size_t entries; // of the log
};

Digest agreed(const Scene& scene, const std::string& name) {
  return look(scene.setup.roots[0].path, name).tree.hash();
}

const std::array<Scenario, 4> k_scenarios = {{
    {"place",
     [](Scene& scene) {
       sync::Placement update = version("old", "second", "updated");
       update.base = agreed(scene, "old");
       return scene.place({version("fresh", "first", "installed"), update});
     },
     false,
     2},
    {"take away",
     [](Scene& scene) {
       return scene.engine->take_away({{}, {"old", "other"}, {}, "removed", false}, scene.now())
           .has_value();
     },
     true,
     2},
    // Its link would lead nowhere then, and becomes a copy.
    {"take away from one of two",
     [](Scene& scene) {
       return scene.engine->take_away({{}, {"linked"}, {"agent0"}, "removed", false}, scene.now())
           .has_value();
     },
     false,
     1},
    {"place for who has no folder yet",
     [](Scene& scene) {
       sync::Placement fresh = version("fresh", "first", "installed");
       fresh.agents = {"agent2"};
       return scene.place({fresh});
     },
     false,
     1},
}};

void prepare(Scene& scene) {
  scene.open();
  std::vector<sync::Placement> skills = {version("old", "first", "installed"),
                                         version("other", "text", "installed"),
                                         version("linked", "text", "installed")};
  skills.back().links = true;
  for (sync::Placement& skill : skills) {
    skill.agents = {"agent0", "agent1"};
  }
  if (!scene.place(skills)) {
    throw Violation("nothing can be placed");
  }
  for (const sync::RootSetup& root : scene.old_roots()) {
    replace_file(root.path + "/old/.git/config", root.path);
  }
}

void expect_rest(Scene& scene, const std::map<std::string, std::string>& there) {
  for (int i = 0; i < 3; ++i) {
    sync::Work work;
    work.everything = true;
    work.now = scene.now();
    auto round = scene.engine->run(work);
    if (!round || !round->steps.empty()) {
      throw Violation("sync does something afterwards");
    }
    if (auto tidied = scene.engine->tidy(scene.now()); !tidied) {
      throw Violation("tidy failed: " + tidied.error().message);
    }
    scene.steady_ms += 61'000;
  }
  if (scene.picture() != there) {
    throw Violation("the folders do not stay as they are");
  }
  for (const sync::RootSetup& root : scene.setup.roots) {
    if (exists(parent_path(root.path) + "/.upskill-stage")) {
      throw Violation("something stays beside the roots for good");
    }
  }
}

// The n-th change goes wrong; false when the run needed fewer.
bool interrupted(const Scenario& scenario, Harm harm, int n, int ground, std::string& folder) {
  folder = make_world_folder(fast_folder());
  auto make = [&](const std::string& where) {
    return std::make_unique<Scene>(where, (ground & 1) == 0, (ground & 2) != 0, (ground & 4) != 0);
  };
  std::unique_ptr<Scene> made = make(folder);
  Scene& scene = *made;
  prepare(scene);
  const auto before = scene.picture();
  const auto folders = scene.folders();
  const std::size_t entries = scene.entries();
  bool reached = false;
  bool done = false;
  scene.files.reset();
  const bool exits = harm < Harm::fail_once;
  scene.files.before = [&](const FileCall& call) -> Result<void> {
    if (call.number == n && (harm == Harm::exit_before || harm == Harm::exit_within)) {
      if (harm == Harm::exit_within && std::string_view(call.name) == "write_file") {
        replace_file(call.path, call.bytes.substr(0, call.bytes.size() / 2));
      }
      ::_exit(7);
    }
    if ((harm == Harm::fail_once && call.number == n)
        || (harm == Harm::fail_on && call.number >= n)) {
      reached = true;
      return fail(ErrorCode::no_space, "injected");
    }
    return {};
  };
  scene.files.after = [&](const FileCall& call) {
    if (call.number == n && harm == Harm::exit_after) {
      ::_exit(7);
    }
  };
  if (exits) {
    scene.engine.reset(); // SQLite must not be carried across a fork
    std::fflush(stdout);
    pid_t child = ::fork();
    if (child == 0) {
      auto hooks =
          std::pair(std::exchange(scene.files.before, {}), std::exchange(scene.files.after, {}));
      scene.open();
      scene.files.reset();
      scene.files.before = hooks.first;
      scene.files.after = hooks.second;
      scenario.act(scene);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFEXITED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != 7)) {
      throw Violation("the process crashed by itself");
    }
    reached = WEXITSTATUS(status) == 7;
  } else {
    done = scenario.act(scene);
  }
  scene.files.before = {};
  scene.files.after = {};
  if (harm == Harm::fail_once && !done && (scene.picture() != before || !scene.has_ignored())) {
    throw Violation("an order that failed has left something");
  }
  if (exits || harm == Harm::fail_on) {
    scene.open(); // with everything failing, it could not be taken back before
  }
  const auto after = scene.picture();
  const bool recorded = scene.entries() == entries + scenario.entries;
  if (!recorded && scene.entries() != entries) {
    throw Violation("the log tells half of the order");
  }
  if ((after != before) != recorded || (!exits && done != recorded)) {
    throw Violation("the folders and the log do not say the same");
  }
  expect_rest(scene, after);
  if (!recorded && scene.folders() != folders) {
    throw Violation("a folder that was made for the order stays");
  }
  if ((!recorded || !scenario.deletes) && !scene.has_ignored()) {
    throw Violation("what is no content is not where it was");
  }
  if (!recorded) {
    if (!scenario.act(scene) || scene.picture() == before) {
      throw Violation("it cannot be done again");
    }
    expect_rest(scene, scene.picture());
  }
  // What was done can be undone, whatever came in between.
  for (std::size_t i = 0; i < scenario.entries; ++i) {
    if (auto undone = scene.engine->undo({}, scene.now()); !undone) {
      throw Violation("it cannot be undone: " + undone.error().message);
    }
  }
  for (const auto& [path, hash] : before) {
    auto now = scene.picture();
    const bool is_back = now.contains(path) && (now[path] == hash || hash == "link");
    if (!is_back) {
      throw Violation("undo does not bring `" + path + "` back");
    }
  }
  made.reset();
  remove_all(folder);
  return reached;
}

} // namespace

int main(int count, char** words) {
  Arguments arguments = arguments_of(count, words);
  fast_folder();
  constexpr int k_grounds = 8;
  const int cases = static_cast<int>(k_scenarios.size()) * k_grounds;
  bool good = in_processes(arguments.jobs, [&](int job) {
    int failures = 0;
    int points = 0;
    for (int one = job; one < cases; one += arguments.jobs) {
      const Scenario& scenario = k_scenarios[static_cast<std::size_t>(one / k_grounds)];
      for (Harm harm : k_harms) {
        bool more = true;
        for (int n = 1; more && n < 1'000 && failures < 6; ++n, ++points) {
          std::string folder;
          try {
            more = interrupted(scenario, harm, n, one % k_grounds, folder);
          } catch (const std::exception& violation) {
            std::printf("FAILED: %s, ground %d, harm %d, call %d: %s\n(its world is kept in %s)\n",
                        scenario.name,
                        one % k_grounds,
                        static_cast<int>(harm),
                        n,
                        violation.what(),
                        folder.c_str());
            ++failures;
            break;
          }
        }
      }
    }
    std::printf("%d points of interruption tried\n", points);
    return failures == 0;
  });
  std::printf("%s\n", good ? "every interruption was survived" : "FAILED");
  return good ? 0 : 1;
}
