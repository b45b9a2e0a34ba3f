#include "tests/support/sync_world.h"
#include "tests/sync/watched_files.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>

// Where a skill goes and where it does not: links, agents that leave one out, folders that lost
// all.
using namespace upskill;
using namespace upskill::test;

namespace {

// As Codex, Claude and Cursor are for real: the first reads two roots, of which the first is its
// own and others'.
void let_share(SyncWorld& world) {
  world.setup().policy = SyncPolicy::cover;
  world.setup().agents[0].reads = {0, 2};
  world.setup().agents.resize(2);
}

bool has(const SyncWorld& world, std::size_t root, const std::string& name) {
  return exists(world.at(root, name + "/SKILL.md"));
}

bool is_link(const SyncWorld& world, std::size_t root, const std::string& name) {
  return std::filesystem::is_symlink(world.at(root, name));
}

sync::Round touch(SyncWorld& world, std::size_t root, const std::string& name, sync::Moment now) {
  sync::Work work;
  work.touched = {{world.root(root), name, 7}};
  work.now = now;
  auto round = world.engine().run(work);
  REQUIRE(round);
  return std::move(*round);
}

sync::Round touch(SyncWorld& world, std::size_t root, const std::string& name) {
  return touch(world, root, name, world.now());
}

void write_at(const std::string& path, const std::string& text, std::int64_t wall_ms) {
  write(path, text);
  const timespec time{wall_ms / 1000, wall_ms % 1000 * 1'000'000};
  const timespec both[] = {time, time};
  REQUIRE(::utimensat(AT_FDCWD, path.c_str(), both, 0) == 0);
}

} // namespace

TEST_SUITE("Engine: reach") {
  TEST_CASE("a link to something else in the place of a copy deletes nothing when it goes") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    write(world.folder() / "elsewhere/one/SKILL.md", "---\nname: one\n---\n");
    world.remove(1, "one");
    std::filesystem::create_directory_symlink(world.folder() / "elsewhere/one", world.at(1, "one"));
    world.settle();
    CHECK(world.engine().status("one").skills.at(0).state == SkillSyncState::problem);
    SUBCASE("in this process") {}
    SUBCASE("nor in the next one") {
      world.open();
    }
    std::filesystem::remove(world.at(1, "one"));
    world.settle();
    for (std::size_t root : {0, 1, 2}) {
      CHECK(has(world, root, "one"));
      CHECK_FALSE(is_link(world, root, "one"));
    }
    CHECK(world.engine().status("one").skills.at(0).state == SkillSyncState::in_sync);
  }

  TEST_CASE("a link that is deleted takes the skill from who reads that folder, and no other") {
    SyncWorld world;
    let_share(world);
    world.setup().roots[0].by_link = true;
    world.configure();
    world.write_skill(1, "one", "text");
    world.settle();
    REQUIRE(is_link(world, 0, "one"));
    std::filesystem::remove(world.at(0, "one"));
    world.settle();
    CHECK(has(world, 1, "one"));
    CHECK_FALSE(exists(world.at(0, "one")));
    CHECK_FALSE(exists(world.at(2, "one"))); // which the same agent reads
    SUBCASE("also when it is edited") {
      world.write_skill(1, "one", "edited");
      world.settle();
      CHECK_FALSE(exists(world.at(0, "one")));
      CHECK_FALSE(exists(world.at(2, "one")));
      return;
    }
    auto undone = world.engine().undo({}, world.now());
    REQUIRE_MESSAGE(undone, undone.error().message);
    world.settle();
    CHECK(is_link(world, 0, "one"));
    CHECK_FALSE(exists(world.at(2, "one")));
    CHECK(world.engine().status("one").skills.at(0).state == SkillSyncState::in_sync);
  }

  TEST_CASE("a link is made where its folder must be made first") {
    SyncWorld world;
    let_share(world);
    world.setup().roots[0].by_link = true;
    world.configure();
    std::filesystem::remove_all(std::filesystem::path(world.root(0)).parent_path());
    world.write_skill(1, "one", "text");
    world.settle();
    CHECK(is_link(world, 0, "one"));
  }

  TEST_CASE("where only those look who leave a skill out, it is nobody's business") {
    SyncWorld world;
    world.write_skill(0, "one", "shared");
    world.setup().exclude = {"agent2:o*"};
    world.write_skill(2, "one", "its own");
    SUBCASE("from the start") {
      world.configure();
    }
    SUBCASE("from some day on, and what it does to its copy then is not looked at") {
      world.setup().exclude = {};
      world.configure();
      world.settle();
      world.setup().exclude = {"agent2:one"};
      world.configure();
      world.settle();
      world.write_skill(0, "one", "shared");
      world.write_skill(2, "one", "its own");
      REQUIRE(world.engine().resolve({"one", "winner", false}, world.now()));
    }
    world.settle();
    CHECK(world.skill(1, "one").ends_with("shared\n"));
    CHECK(world.skill(2, "one").ends_with("its own\n"));
    CHECK(world.engine().conflicts({})->conflicts.empty());
    CHECK(world.engine().status().problems == 0);
    world.remove(2, "one");
    world.settle();
    CHECK(has(world, 0, "one"));
    world.setup().exclude = {};
    world.configure();
    world.settle();
    CHECK(world.skill(2, "one").ends_with("shared\n"));
  }

  TEST_CASE("what is excluded is shown as what lies there, and as nothing else") {
    SyncWorld world;
    for (const char* name : {"one", "two"}) {
      world.write_skill(0, name, "text");
    }
    world.settle();
    world.setup().exclude = {"o*", "agent2:two"};
    world.configure();
    world.settle();
    world.write_skill(0, "one", "edited");
    world.write_skill(1, "older", "new");
    world.write_skill(2, "two", "its own");
    world.remove(1, "one");
    world.settle();
    SUBCASE("while it runs") {}
    SUBCASE("after a restart") {
      world.open();
      world.settle();
    }
    SyncStatusResult status = world.engine().status();
    auto states = [](const SkillSyncStatus& skill) {
      std::vector<std::pair<std::string, ReplicaState>> all;
      for (const ReplicaStatus& replica : skill.replicas) {
        CHECK((replica.state == ReplicaState::left_alone) == replica.hash.empty());
        all.emplace_back(parent_path(replica.path), replica.state);
      }
      return all;
    };
    using enum ReplicaState;
    REQUIRE(status.skills.size() == 3);
    CHECK(status.skills[0].skill == "older");
    CHECK(status.skills[0].state == SkillSyncState::excluded);
    CHECK(states(status.skills[0]) == std::vector{std::pair{world.root(1), left_alone}});
    CHECK(status.skills[1].state == SkillSyncState::excluded);
    CHECK(status.skills[1].hash.empty());
    CHECK(states(status.skills[1])
          == std::vector{std::pair{world.root(0), left_alone}, {world.root(2), left_alone}});
    CHECK(status.skills[2].state == SkillSyncState::in_sync);
    CHECK(states(status.skills[2])
          == std::vector{std::pair{world.root(0), current},
                         {world.root(1), current},
                         {world.root(2), left_alone}});
    CHECK(status.problems == 0);
    CHECK(status.roots.at(0).skills == 2);
    CHECK(status.roots.at(1).skills == 2);
    CHECK(status.roots.at(2).skills == 2);
    CHECK(world.engine().overview().skills == 1);
    CHECK(world.engine().status("older").skills.size() == 1);
  }

  TEST_CASE("what every folder lost is written again for who accepts it") {
    SyncWorld world;
    for (const char* name : {"one", "two", "three"}) {
      world.write_skill(0, name, "text");
    }
    world.settle();
    for (std::size_t root : {0, 1, 2}) {
      for (const char* name : {"one", "two", "three"}) {
        world.remove(root, name);
      }
    }
    world.run();
    REQUIRE(world.engine().status().state == SyncState::halted);
    auto rehearsal =
        world.engine().rehearse({world.setup()}, sync::HaltedRoots::accept, world.now());
    REQUIRE(rehearsal);
    CHECK(rehearsal->round.steps.size() == 9);
    REQUIRE(world.engine().accept_roots());
    world.settle();
    for (std::size_t root : {0, 1, 2}) {
      CHECK(world.skill(root, "one").ends_with("text\n"));
      CHECK(has(world, root, "three"));
    }
  }

  TEST_CASE("a skill of an agent that takes no part any more is not brought to the others") {
    SyncWorld world;
    world.setup().exclude = {"agent0:*", "agent1:*"};
    world.configure();
    world.write_skill(2, "one", "text");
    world.settle();
    sync::ScopeSetup all = world.setup();
    world.setup().exclude = {};
    world.setup().roots.resize(2);
    world.setup().agents.resize(2);
    world.configure();
    world.settle();
    CHECK_FALSE(exists(world.root(0) + "/one"));
    all.exclude = {};
    world.setup() = all;
    world.configure();
    world.settle();
    CHECK(has(world, 0, "one"));
    CHECK(has(world, 2, "one"));
  }

  TEST_CASE("a copy that lacks its document for a moment is no reason for one elsewhere") {
    SyncWorld world;
    let_share(world);
    world.configure();
    world.write_skill(2, "one", "text");
    world.settle();
    REQUIRE_FALSE(exists(world.at(0, "one")));
    std::filesystem::rename(world.at(2, "one/SKILL.md"), world.at(2, "one/aside"));
    world.settle();
    CHECK_FALSE(exists(world.at(0, "one")));
    std::filesystem::rename(world.at(2, "one/aside"), world.at(2, "one/SKILL.md"));
    world.settle();
    CHECK_FALSE(exists(world.at(0, "one")));
    CHECK(world.engine().status().problems == 0);
  }

  TEST_CASE("a file between the skills is none") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    write(world.at(0, "README.md"), "notes\n");
    touch(world, 0, "README.md");
    CHECK(world.engine().status().problems == 0);
    CHECK(world.engine().status().skills.size() == 1);
    CHECK_FALSE(exists(world.at(1, "README.md")));
  }

  TEST_CASE("another copy that is being written is waited for, but not for long") {
    SyncWorld world;
    write(world.at(0, "one/SKILL.md"), "a\n");
    world.settle();
    world.pass(10'000); // the time of a file's own record is long ago, so that its mtime counts
    const sync::Moment start = world.now();
    auto after = [&](std::int64_t milliseconds) {
      return sync::Moment{start.wall_ms + milliseconds, start.steady_ms + milliseconds};
    };
    write_at(world.at(0, "one/SKILL.md"), "b\n", start.wall_ms);
    const std::string other = world.at(1, "one/SKILL.md");
    SUBCASE("until it is told of") {
      write_at(other, "half\n", start.wall_ms + 50);
      sync::Round round = touch(world, 0, "one", after(100));
      CHECK(round.steps.empty());
      CHECK(round.again_at_ms);
      CHECK(world.engine().status("one").skills.at(0).state == SkillSyncState::pending);
      write_at(other, "whole\n", start.wall_ms + 200);
      CHECK_FALSE(touch(world, 1, "one", after(300)).steps.empty());
      CHECK(read(other) == "whole\n");
    }
    SUBCASE("until it is quiet") {
      write_at(other, "half\n", start.wall_ms + 50);
      CHECK(touch(world, 0, "one", after(100)).steps.empty());
      CHECK_FALSE(touch(world, 0, "one", after(300)).steps.empty());
    }
    SUBCASE("two seconds at most") {
      write_at(other, "half\n", start.wall_ms + 1'900);
      CHECK(touch(world, 0, "one", after(1'950)).steps.empty());
      write_at(other, "half\n", start.wall_ms + 2'000);
      CHECK_FALSE(touch(world, 0, "one", after(2'050)).steps.empty());
    }
    SUBCASE("not at all where its time is still to come") {
      write_at(other, "half\n", start.wall_ms + 3'600'000);
      CHECK_FALSE(touch(world, 0, "one", after(100)).steps.empty());
    }
    REQUIRE(world.engine().conflicts({})->conflicts.size() == 1);
    CHECK(world.engine().conflicts({})->conflicts[0].versions.size() == 2);
  }

  TEST_CASE("a warning stays for as long as what it is about") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.write_skill(0, "two", "text");
    world.settle();
    world.remove(1, "one");
    write(world.at(1, "one"), "in its place\n");
    world.settle();
    REQUIRE(world.engine().status().warnings.size() == 1);
    touch(world, 0, "two");
    CHECK(world.engine().status().warnings.size() == 1);
    world.remove(1, "one");
    world.settle();
    CHECK(world.engine().status().warnings.empty());
  }

  TEST_CASE("what is not synced follows its copy with the next round, where it could not at once") {
    sync_test::WatchedFiles files;
    SyncWorld world;
    world.use(files);
    world.open();
    world.write_skill(0, "one", "text");
    world.settle();
    write(world.at(1, "one/node_modules/m/index.js"), "mine\n");
    world.write_skill(0, "one", "edited");
    files.before = [](const sync_test::FileCall& call) -> Result<void> {
      bool carries = call.path.ends_with("/node_modules");
      return carries ? fail(ErrorCode::permission, "not now") : Result<void>();
    };
    world.run();
    REQUIRE(world.skill(1, "one").ends_with("edited\n"));
    REQUIRE_FALSE(exists(world.at(1, "one/node_modules")));
    files.before = {};
    world.run();
    CHECK(read(world.at(1, "one/node_modules/m/index.js")) == "mine\n");
  }

  TEST_CASE("what is beside the root is none of git's business") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    world.write_skill(0, "one", "edited");
    world.settle();
    const std::string stage = world.at(1, "../.upskill-stage");
    CHECK(read(stage + "/.gitignore") == "*\n");
    world.pass(70'000);
    REQUIRE(world.engine().tidy(world.now()));
    CHECK_FALSE(exists(stage));
  }
}
