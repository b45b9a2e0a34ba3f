// Ends the process before and after each change that sync makes, or fails it, over a handful of
// scenarios; then a fresh engine must bring everything to rest with nothing lost and nothing torn
// (sync facts, sections 4 and 6).
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
#include <memory>
#include <optional>

using namespace upskill;
using namespace upskill::sync_test;

namespace {

// Where the roots lie and what their file system can do.
struct Ground {
  const char* name;
  bool exchange;
  std::array<const char*, 3> roots;
};

constexpr std::array<Ground, 3> k_grounds = {{
    {"", true, {".agents/skills", ".claude/skills", ".cursor/skills"}},
    {" (no exchange)", false, {".agents/skills", ".claude/skills", ".cursor/skills"}},
    // Two roots that are staged in one folder, as those of OpenCode.
    {" (no exchange, neighbours)",
     false,
     {".agents/skills", ".opencode/skill", ".opencode/skills"}},
}};

enum class Harm {
  exit_before,
  exit_after,
  exit_within, // a file is left half written
  fail_once,
  fail_on // and every call after it, until the fault is gone
};

constexpr std::array k_harms = {
    Harm::exit_before, Harm::exit_after, Harm::exit_within, Harm::fail_once, Harm::fail_on};
constexpr std::array<const char*, 5> k_harm_names = {
    "ended before", "ended after", "ended within", "failed", "failed from"};
constexpr std::array<ErrorCode, 3> k_errors = {
    ErrorCode::no_space, ErrorCode::io, ErrorCode::permission};

// Three roots and an engine; the scenario's changes come between two rounds.
class Scene {
public:
  Scene(std::string folder, const Ground& ground)
      : m_folder(std::move(folder)) {
    files.can_exchange = ground.exchange;
    setup.enabled = true;
    setup.policy = SyncPolicy::mirror;
    for (std::size_t i = 0; i < ground.roots.size(); ++i) {
      sync::RootSetup one;
      one.path = m_folder + "/" + ground.roots[i];
      one.agents = {"agent" + std::to_string(i)};
      make_folders(one.path);
      setup.roots.push_back(one);
      sync::AgentSetup agent;
      agent.id = one.agents.front();
      agent.reads = {static_cast<sync::RootIndex>(i)};
      agent.preferred = static_cast<sync::RootIndex>(i);
      agent.follows_links = true;
      setup.agents.push_back(agent);
    }
    make_folders(m_folder + "/state");
    make_folders(m_folder + "/data");
  }

  void open() {
    engine.reset();
    sync::EngineOptions options;
    options.database = m_folder + "/state/sync.db";
    options.objects = objects();
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

  // A few rounds with grace periods between them, whatever they do.
  void rounds(int count) {
    for (int i = 0; i < count; ++i) {
      round();
      steady_ms += 3'000;
    }
  }

  sync::Round round() {
    sync::Work work;
    work.everything = true;
    work.now = now();
    auto done = engine->run(work);
    if (!done) {
      throw Violation("a round failed as a whole: " + done.error().message);
    }
    return std::move(*done);
  }

  void settle() {
    for (int i = 0; i < 20; ++i) {
      sync::Round done = round();
      if (done.steps.empty() && !done.again_at_ms && !done.retry_at_ms) {
        return;
      }
      steady_ms = std::max(steady_ms + 3'000, done.retry_at_ms.value_or(0));
    }
    throw Violation("sync does not come to rest");
  }

  sync::Moment now() const {
    timespec time{};
    ::clock_gettime(CLOCK_REALTIME, &time);
    return {time.tv_sec * 1000 + time.tv_nsec / 1'000'000, steady_ms};
  }

  std::string at(std::size_t i, const std::string& path) const {
    return setup.roots[i].path + "/" + path;
  }

  std::string objects() const { return m_folder + "/data/objects"; }

  const std::string& folder() const { return m_folder; }

  void write(std::size_t i, const std::string& name, const std::string& text) const {
    replace_file(at(i, name + "/SKILL.md"), "---\nname: " + name + "\n---\n" + text + "\n");
    replace_file(at(i, name + "/notes/one.md"), "notes of " + name + "\n");
    replace_file(at(i, name + "/run.sh"), "#!/bin/sh\n", 0755);
  }

  WatchedFiles files;
  sync::ScopeSetup setup;
  std::unique_ptr<sync::Engine> engine;
  std::int64_t steady_ms = 1'000;
  std::set<Digest> rivals = {};      // of which only one can be in place
  std::optional<Digest> chosen = {}; // of these, by a person

private:
  std::string m_folder;
};

struct Scenario {
  const char* name;
  void (*before)(Scene&); // agreed on before anything goes wrong
  void (*change)(Scene&); // what a person does then
  void (*act)(Scene&);    // what sync does about it, and is interrupted in
  bool deletes;           // the skill `one` may be gone at the end
};

void run_rounds(Scene& scene) {
  scene.rounds(3);
}

void one_skill(Scene& scene) {
  scene.write(0, "one", "a\n\n\nb\n\n\nc");
  scene.write(0, "two", "stays");
}

void ignored_too(Scene& scene) {
  one_skill(scene);
  scene.settle();
  for (std::size_t i = 0; i < scene.setup.roots.size(); ++i) {
    replace_file(scene.at(i, "one/.git/config"), "mine " + std::to_string(i));
    replace_file(scene.at(i, "one/node_modules/m/index.js"), "mine " + std::to_string(i));
  }
}

void edit(Scene& scene) {
  scene.write(1, "one", "a\n\n\nb\n\n\nedited");
}

void edit_two(Scene& scene) {
  scene.write(1, "one", "a\n\n\nb\n\n\nedited");
  scene.write(2, "one", "edited\n\n\nb\n\n\nc");
}

void edit_apart(Scene& scene) {
  scene.write(1, "one", "a\n\n\nleft\n\n\nc");
  scene.write(2, "one", "a\n\n\nright\n\n\nc");
  for (std::size_t i : {1u, 2u}) {
    scene.rivals.insert(look(scene.setup.roots[i].path, "one").tree.hash());
  }
}

void lose(Scene& scene) {
  one_skill(scene);
  scene.settle();
  edit_apart(scene);
  scene.settle();
  for (const Digest& rival : scene.rivals) {
    if (rival != look(scene.setup.roots[0].path, "one").tree.hash()) {
      scene.chosen = rival;
    }
  }
}

const std::array<Scenario, 12> k_scenarios = {{
    {"new", [](Scene&) {}, one_skill, run_rounds, false},
    {"update", one_skill, edit, run_rounds, false},
    {"update with ignored content", ignored_too, edit, run_rounds, false},
    {"merge", one_skill, edit_two, run_rounds, false},
    {"conflict", one_skill, edit_apart, run_rounds, false},
    {"delete", ignored_too, [](Scene& scene) { remove_all(scene.at(1, "one")); }, run_rounds, true},
    {"rename",
     one_skill,
     [](Scene& scene) { rename_path(scene.at(1, "one"), scene.at(1, "uno")); },
     run_rounds,
     true},
    {"link",
     [](Scene&) {},
     [](Scene& scene) {
       scene.setup.roots[2].by_link = true;
       one_skill(scene);
     },
     run_rounds,
     false},
    {"undo of an edit",
     [](Scene& scene) {
       one_skill(scene);
       scene.settle();
       edit(scene);
     },
     [](Scene&) {},
     [](Scene& scene) { (void)scene.engine->undo({}, scene.now()); },
     false},
    {"undo of a deletion",
     [](Scene& scene) {
       one_skill(scene);
       scene.settle();
       remove_all(scene.at(1, "one"));
     },
     [](Scene&) {},
     [](Scene& scene) { (void)scene.engine->undo({}, scene.now()); },
     true},
    {"resolve",
     lose,
     [](Scene&) {},
     [](Scene& scene) {
       (void)scene.engine->resolve({"one", "loser", false}, scene.now());
     },
     false},
    {"undo of a choice",
     [](Scene& scene) {
       lose(scene);
       (void)scene.engine->resolve({"one", "loser", false}, scene.now());
     },
     [](Scene&) {},
     [](Scene& scene) { (void)scene.engine->undo({}, scene.now()); },
     false},
}};

void add_versions(const Scene& scene, std::set<Digest>& out) {
  for (const sync::RootSetup& root : scene.setup.roots) {
    add_trees_below(root.path, 0, out);
  }
}

std::set<Digest> versions_anywhere(const Scene& scene) {
  std::set<Digest> all;
  add_versions(scene, all);
  for (const sync::RootSetup& root : scene.setup.roots) {
    add_trees_below(parent_path(root.path) + "/.upskill-stage", 0, all);
  }
  add_trees_below(scene.folder() + "/data/trash", 1, all);
  add_trees_below(scene.folder() + "/data/conflicts", 1, all);
  return all;
}

void expect_kept(const Scene& scene, const std::set<Digest>& versions) {
  std::set<Digest> all = versions_anywhere(scene);
  auto objects = store::Objects::open(scene.objects());
  for (const Digest& hash : versions) {
    if (!all.contains(hash) && (!objects || !sync::tree_of_object(*objects, hash))) {
      throw Violation("a version is lost: " + hash.brief());
    }
  }
}

// Whatever lies under a skill's name in a root is whole: it is one of these versions.
void expect_whole(const Scene& scene, const std::set<Digest>& whole) {
  for (const sync::RootSetup& root : scene.setup.roots) {
    for (const std::string& name : names_in(root.path)) {
      if (name.starts_with('.') || !is_folder(root.path + "/" + name)) {
        continue;
      }
      sync::ReadResult there = look(root.path, name);
      if (there.stat.presence != sync::Presence::copy || !whole.contains(there.tree.hash())) {
        throw Violation("`" + root.path + "/" + name + "` is torn");
      }
    }
  }
}

// Whoever wrote the version that is not in place is told, unless somebody chose between them.
void expect_told(const Scene& scene) {
  Digest there = look(scene.setup.roots[0].path, "one").tree.hash();
  if (scene.rivals.empty() || scene.chosen == there) {
    return;
  }
  auto conflicts = scene.engine->conflicts({});
  std::set<Digest> listed;
  for (const Conflict& conflict : conflicts->conflicts) {
    for (const ConflictVersion& version : conflict.versions) {
      listed.insert(Digest::from_hex(version.hash).value());
    }
  }
  for (const Digest& rival : scene.rivals) {
    if (rival != there && !listed.contains(rival)) {
      throw Violation("a version lost, and no conflict is listed: " + rival.brief());
    }
  }
}

void expect_rest(Scene& scene, const Scenario& scenario) {
  scene.settle();
  expect_told(scene);
  for (std::size_t i = 1; i < scene.setup.roots.size(); ++i) {
    for (const char* name : {"one", "uno", "two"}) {
      bool link = exists(scene.at(i, name)) && !is_folder(scene.at(i, name));
      if (!link
          && look(scene.setup.roots[0].path, name).tree.hash()
                 != look(scene.setup.roots[i].path, name).tree.hash()) {
        throw Violation("at rest, `" + scene.at(i, name) + "` differs");
      }
    }
  }
  bool there = exists(scene.at(0, "one/SKILL.md"));
  bool renamed = exists(scene.at(0, "uno/SKILL.md"));
  if (!exists(scene.at(0, "two/SKILL.md")) || (!there && !renamed && !scenario.deletes)) {
    throw Violation("a skill that nobody deleted is gone");
  }
  for (std::int64_t wait_ms : {0, 61'000, 61'000}) {
    scene.steady_ms += wait_ms;
    if (auto done = scene.engine->tidy(scene.now()); !done) {
      throw Violation("tidy failed: " + done.error().message);
    }
  }
  for (std::size_t i = 0; i < scene.setup.roots.size(); ++i) {
    bool had = std::string_view(scenario.name) == "update with ignored content";
    if (had && read(scene.at(i, "one/.git/config")) != "mine " + std::to_string(i)) {
      throw Violation("ignored content of `" + scene.at(i, "one") + "` is not where it was");
    }
  }
  if (!scene.round().steps.empty()) {
    throw Violation("at rest, something is still done");
  }
  for (const sync::RootSetup& root : scene.setup.roots) {
    if (exists(parent_path(root.path) + "/.upskill-stage")) {
      throw Violation("something stays beside the roots for good");
    }
  }
}

// The n-th change goes wrong; false when the run needed fewer.
bool interrupted(
    const Scenario& scenario, Harm harm, int n, const Ground& ground, std::string& what) {
  std::string folder = make_world_folder(fast_folder());
  what = folder;
  Scene scene(folder, ground);
  scene.open();
  scenario.before(scene);
  scene.settle();
  std::set<Digest> before;
  add_versions(scene, before);
  scenario.change(scene);
  std::set<Digest> whole = before;
  add_versions(scene, whole);
  std::set<Digest> kept = whole;
  scene.open(); // links may have been switched on
  bool reached = false;
  scene.files.reset();
  bool exits = harm < Harm::fail_once;
  scene.files.before = [&](const FileCall& call) -> Result<void> {
    if (call.number == n && harm == Harm::exit_before) {
      ::_exit(7);
    }
    if (call.number == n && harm == Harm::exit_within) {
      if (std::string_view(call.name) == "write_file") {
        replace_file(call.path, call.bytes.substr(0, call.bytes.size() / 2));
      }
      ::_exit(7);
    }
    if ((harm == Harm::fail_once && call.number == n)
        || (harm == Harm::fail_on && call.number >= n)) {
      reached = true;
      return fail(k_errors[static_cast<std::size_t>(n) % k_errors.size()],
                  std::string("injected into ") + call.name + " of `" + call.path + "`");
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
      scene.open();
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
    scenario.act(scene);
  }
  scene.files.before = {};
  scene.files.after = {};
  // What a join made is whole too, and in the store before it is anywhere else.
  auto objects = store::Objects::open(scene.objects());
  for (const sync::RootSetup& root : scene.setup.roots) {
    std::set<Digest> now_there;
    add_trees_below(root.path, 0, now_there);
    for (const Digest& hash : now_there) {
      if (objects && objects->contains(hash) && sync::tree_of_object(*objects, hash)) {
        whole.insert(hash);
      }
    }
  }
  expect_whole(scene, whole);
  expect_kept(scene, kept);
  if (exits) {
    scene.open();
  }
  expect_rest(scene, scenario);
  expect_kept(scene, kept);
  remove_all(folder);
  return reached;
}

} // namespace

int main(int count, char** words) {
  Arguments arguments = arguments_of(count, words);
  fast_folder();
  const int cases = static_cast<int>(k_scenarios.size() * k_grounds.size());
  bool good = in_processes(arguments.jobs, [&](int job) {
    int failures = 0;
    int points = 0;
    for (int one = job; one < cases; one += arguments.jobs) {
      const Scenario& scenario = k_scenarios[static_cast<std::size_t>(one) / k_grounds.size()];
      const Ground& ground = k_grounds[static_cast<std::size_t>(one) % k_grounds.size()];
      for (Harm harm : k_harms) {
        bool more = true;
        for (int n = 1; more && n < 1'000 && failures < 6; ++n, ++points) {
          std::string folder;
          try {
            more = interrupted(scenario, harm, n, ground, folder);
          } catch (const std::exception& violation) {
            std::printf("FAILED: %s%s, %s call %d: %s\n(its world is kept in %s)\n",
                        scenario.name,
                        ground.name,
                        k_harm_names[static_cast<std::size_t>(harm)],
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
