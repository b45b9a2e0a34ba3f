#include "tests/support/sync_world.h"
#include "tests/sync/watched_files.h"

#include <doctest/doctest.h>

#include <algorithm>

// What people and programs do to folders that nobody foresaw when the engine was first written.
using namespace upskill;
using namespace upskill::test;

namespace {

void age(const std::string& file) {
  std::filesystem::last_write_time(
      file, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1000));
}

bool holds(const SyncWorld& world, std::size_t root, const std::string& text) {
  return world.skill(root, "one").find(text) != std::string::npos;
}

void replace_by_link(SyncWorld& world, std::size_t root, const std::string& target) {
  world.remove(root, "one");
  std::filesystem::create_directory_symlink(target, world.at(root, "one"));
}

sync::Round touch(SyncWorld& world, std::size_t root, const std::string& name) {
  sync::Work work;
  work.touched = {{world.root(root), name, 7}};
  work.now = world.now();
  auto round = world.engine().run(work);
  REQUIRE(round);
  return std::move(*round);
}

} // namespace

TEST_SUITE("Engine") {
  TEST_CASE("deletions that are seen one after the other are one mass deletion") {
    SyncWorld world;
    for (int i = 0; i < 8; ++i) {
      world.write_skill(0, "s" + std::to_string(i), "text " + std::to_string(i));
    }
    world.settle();
    for (int i = 0; i < 5; ++i) {
      world.remove(0, "s" + std::to_string(i));
      world.run();
      world.pass(1);
    }
    world.pass(1'990);
    for (int i = 0; i < 20; ++i) {
      world.run();
      world.pass(1);
    }
    CHECK(world.engine().status().held == 5);
    for (int i = 0; i < 5; ++i) {
      CHECK(exists(world.at(1, "s" + std::to_string(i) + "/SKILL.md")));
    }
    // A minute later another one is another matter.
    world.pass(60'000);
    world.remove(0, "s7");
    world.settle();
    CHECK_FALSE(exists(world.at(1, "s7")));
  }

  TEST_CASE("a copy that a person replaces by a link to another belongs to that one") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    replace_by_link(world, 1, world.at(0, "one"));
    SUBCASE("a plan leaves it to be recorded, for the next process too") {
      world.run(true);
      world.settle();
      std::filesystem::remove(world.at(1, "one"));
      world.open();
      world.settle();
      CHECK(holds(world, 0, "text"));
      CHECK_FALSE(exists(world.at(1, "one")));
      return;
    }
    world.settle();
    SUBCASE("an edit is agreed as ever") {
      world.write_skill(0, "one", "edited");
      world.settle();
      CHECK(holds(world, 2, "edited"));
      CHECK(world.engine().status("one").skills[0].state == SkillSyncState::in_sync);
    }
    SUBCASE("taking the link away takes the skill from that folder only") {
      std::filesystem::remove(world.at(1, "one"));
      world.settle();
      CHECK(holds(world, 0, "text"));
      CHECK(holds(world, 2, "text"));
      CHECK_FALSE(exists(world.at(1, "one")));
    }
    SUBCASE("deleting what it leads to deletes the skill") {
      world.remove(0, "one");
      world.settle();
      CHECK_FALSE(exists(world.at(2, "one")));
      CHECK(world.engine().status("one").skills.empty());
    }
    SUBCASE("a link that leads elsewhere is noticed") {
      std::filesystem::create_directories(world.folder() / "elsewhere/one");
      write(world.folder() / "elsewhere/one/SKILL.md", "---\nname: one\n---\nother\n");
      std::filesystem::remove(world.at(1, "one"));
      std::filesystem::create_directory_symlink(world.folder() / "elsewhere/one",
                                                world.at(1, "one"));
      world.run();
      CHECK(world.engine().status("one").skills[0].state == SkillSyncState::problem);
    }
  }

  TEST_CASE("an old copy in a folder that comes back is no edit") {
    SyncWorld world;
    world.write_skill(0, "one", "old");
    world.settle();
    std::filesystem::path away = world.root(1);
    std::filesystem::path backup = world.folder() / "backup";
    std::filesystem::copy(away, backup, std::filesystem::copy_options::recursive);
    std::filesystem::remove_all(away);
    world.write_skill(0, "one", "new");
    world.settle();
    REQUIRE(holds(world, 2, "new"));
    std::filesystem::rename(backup, away);
    age(world.at(1, "one/SKILL.md"));
    world.settle();
    for (std::size_t root : {0u, 1u, 2u}) {
      CHECK(holds(world, root, "new"));
    }
    auto conflicts = world.engine().conflicts({});
    REQUIRE(conflicts);
    REQUIRE(conflicts->conflicts.size() == 1);
    CHECK(conflicts->conflicts[0].versions.size() == 2);
  }

  TEST_CASE("what a person puts into a folder that had no copy is an edit") {
    SyncWorld world({".agents", ".claude"});
    world.setup().policy = SyncPolicy::cover;
    world.setup().agents[0].reads = {0, 1};
    world.setup().agents[1].reads = {0, 1};
    world.configure();
    world.write_skill(0, "one", "old");
    world.settle();
    REQUIRE_FALSE(exists(world.at(1, "one")));
    world.write_skill(1, "one", "new");
    touch(world, 1, "one"); // seen by the watcher
    world.settle();
    CHECK(holds(world, 0, "new"));
    CHECK(world.engine().status().conflicts == 0);
  }

  TEST_CASE("a deletion that cannot reach every copy neither ends nor comes back") {
    sync_test::WatchedFiles files;
    SyncWorld world;
    world.use(files);
    world.open();
    world.write_skill(0, "one", "text");
    world.write_skill(0, "two", "text");
    world.settle();
    for (std::size_t locked : {1u, 2u}) {
      CAPTURE(locked);
      int tries = 0;
      files.before = [&](const sync_test::FileCall& call) -> Result<void> {
        if (std::string_view(call.name) == "move" && call.other.starts_with(world.root(locked))) {
          ++tries;
          return fail(ErrorCode::permission, "may not be written");
        }
        return {};
      };
      std::string name = locked == 1 ? "one" : "two";
      world.remove(0, name);
      world.run();
      world.pass(2'500);
      world.run();
      CHECK(tries == 1);
      sync::Round round = world.run(); // at once: it is not tried in a row
      CHECK(tries == 1);
      CHECK_FALSE(round.again_at_ms);
      REQUIRE(round.retry_at_ms);
      CHECK(exists(world.at(locked, name)));
      CHECK_FALSE(exists(world.at(0, name)));
      auto status = world.engine().status(name);
      REQUIRE(status.skills.size() == 1);
      CHECK(status.skills[0].state == SkillSyncState::pending);
      CHECK(status.skills[0].reason.find("could not be removed") != std::string::npos);
      CHECK(world.engine().status().held == 0);
      files.before = {};
      world.pass(2'000);
      world.settle();
      CHECK_FALSE(exists(world.at(locked, name)));
      CHECK(world.engine().status(name).skills.empty());
    }
  }

  TEST_CASE("a copy that cannot be written is tried again, and is not called current") {
    sync_test::WatchedFiles files;
    SyncWorld world;
    world.use(files);
    world.open();
    world.write_skill(0, "one", "old");
    world.settle();
    files.before = [&](const sync_test::FileCall& call) -> Result<void> {
      return call.path.starts_with(world.folder() / ".claude")
                 ? fail(ErrorCode::no_space, "no space is left")
                 : Result<void>();
    };
    world.write_skill(0, "one", "new");
    sync::Round round = world.run();
    CHECK(holds(world, 2, "new"));
    REQUIRE(round.retry_at_ms);
    CHECK(*round.retry_at_ms > world.now().steady_ms);
    CHECK_FALSE(round.again_at_ms);
    auto status = world.engine().status("one").skills[0];
    CHECK(status.state == SkillSyncState::problem);
    CHECK(status.reason.find("no space") != std::string::npos);
    CHECK(std::ranges::count(status.replicas, ReplicaState::current, &ReplicaStatus::state) == 2);
    files.before = {};
    world.pass(*round.retry_at_ms - world.now().steady_ms);
    sync::Work work; // nothing was touched: its time has come
    work.now = world.now();
    REQUIRE(world.engine().run(work));
    CHECK(holds(world, 1, "new"));
    CHECK(world.engine().status("one").skills[0].state == SkillSyncState::in_sync);
  }

  TEST_CASE("a repository that stays in the middle of something is looked at less and less") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    write(world.folder() / ".claude/.git/index.lock", "");
    CHECK(world.run().again_at_ms);
    world.pass(20'000);
    sync::Round round = world.run();
    CHECK_FALSE(round.again_at_ms);
    REQUIRE(round.retry_at_ms);
    CHECK(*round.retry_at_ms - world.now().steady_ms == 5'000);
    world.pass(3'600'000);
    CHECK(*world.run().retry_at_ms - world.now().steady_ms == 60'000);
  }

  TEST_CASE("what is no skill's name is not looked at") {
    SyncWorld world;
    world.setup().roots[1].never_touch = {"synced"};
    world.configure();
    write(world.at(1, "synced/SKILL.md"), "---\nname: synced\n---\n");
    write(world.at(1, "node_modules/SKILL.md"), "---\nname: node_modules\n---\n");
    write(world.at(0, "synced/SKILL.md"), "---\nname: synced\n---\nanother\n");
    world.settle();
    for (const char* name : {"synced", "node_modules", "/etc", "..", ".hidden", "a/b", "CON"}) {
      CAPTURE(name);
      sync::Work work;
      work.everything = true;
      work.only_skill = name;
      work.now = world.now();
      auto round = world.engine().run(work);
      REQUIRE_FALSE(round);
      CHECK(round.error().code == ErrorCode::invalid_argument);
      touch(world, 1, name);
    }
    CHECK(std::filesystem::is_empty(world.root(2)));
    CHECK(read(world.at(1, "synced/SKILL.md")).find("another") == std::string::npos);
    CHECK(world.engine().status().skills.empty());
  }

  TEST_CASE("a skill that is a repository itself is left alone while git is at work in it") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    std::string lock = world.at(1, "one/.git/index.lock");
    write(lock, "");
    world.write_skill(0, "one", "edited");
    sync::Round round = world.run();
    CHECK(holds(world, 1, "text"));
    CHECK(world.engine().status("one").skills[0].state == SkillSyncState::problem);
    REQUIRE(round.retry_at_ms);
    std::filesystem::remove(lock);
    world.pass(2'000);
    world.settle();
    CHECK(holds(world, 1, "edited"));
  }

  TEST_CASE("what cannot be looked at is not said to be in sync") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.write_skill(0, "two", "text");
    world.settle();
    std::filesystem::path root = world.root(1);
    auto expected = SkillSyncState::problem;
    SUBCASE("because the root has vanished") {
      std::filesystem::rename(root, root.string() + "x");
    }
    SUBCASE("because it was emptied") {
      world.remove(1, "one");
      world.remove(1, "two");
    }
    SUBCASE("because git is at work") {
      write(world.folder() / ".claude/.git/index.lock", "");
      expected = SkillSyncState::pending;
    }
    SUBCASE("because it is refused") {
      world.setup().roots[1].refused = true;
      world.setup().roots[1].reason = "is not a folder";
      world.configure();
    }
    world.run();
    auto status = world.engine().status();
    CHECK(status.roots[0].skills == 2);
    CHECK(status.roots[1].skills == 0);
    for (const SkillSyncStatus& skill : status.skills) {
      CHECK(skill.state == expected);
      REQUIRE(skill.replicas.size() == 3);
      CHECK(skill.replicas[0].state == ReplicaState::current);
      CHECK(skill.replicas[1].state == ReplicaState::problem);
      CHECK_FALSE(skill.replicas[1].reason.empty());
      CHECK(skill.replicas[1].hash.empty());
    }
  }

  TEST_CASE("a plan shows the deletions that are to come, and begins none") {
    SyncWorld world;
    for (int i = 0; i < 6; ++i) {
      world.write_skill(0, "s" + std::to_string(i), "text " + std::to_string(i));
    }
    world.settle();
    world.remove(0, "s0");
    auto removals = [](const sync::Round& round) {
      return std::ranges::count(round.steps, SyncAction::remove, &SyncStep::action);
    };
    CHECK(removals(world.run(true)) == 2);
    CHECK(world.engine().status("s0").skills[0].reason.empty()); // nobody has acted on it yet
    world.pass(10'000);
    CHECK(removals(world.run()) == 0); // the grace period begins now
    CHECK(removals(world.run(true)) == 2);
    for (int i = 1; i < 5; ++i) {
      world.remove(0, "s" + std::to_string(i));
    }
    sync::Round plan = world.run(true);
    CHECK(std::ranges::count(plan.steps, SyncAction::hold, &SyncStep::action) == 5);
    CHECK(world.engine().status().held == 0);
    CHECK(exists(world.at(1, "s0/SKILL.md")));
  }

  TEST_CASE("`winner` keeps what is there by now") {
    SyncWorld world;
    world.write_skill(0, "one", "base");
    world.settle();
    world.write_skill(0, "one", "left");
    world.write_skill(1, "one", "right");
    world.settle();
    REQUIRE(world.engine().status().conflicts == 1);
    world.write_skill(2, "one", "joined by hand");
    SUBCASE("and was seen") {
      world.settle();
    }
    SUBCASE("and was written this moment") {}
    REQUIRE(world.engine().resolve({"one", "winner", false}, world.now()));
    for (std::size_t root : {0u, 1u, 2u}) {
      CHECK(holds(world, root, "joined by hand"));
    }
    CHECK(world.engine().status().conflicts == 0);
  }

  TEST_CASE("the choice between first versions is not undone by taking copies away") {
    SyncWorld world({".agents", ".claude"});
    world.write_skill(0, "one", "agents");
    world.write_skill(1, "one", "claude");
    world.settle();
    REQUIRE(world.engine().status().conflicts == 1);
    auto undone = world.engine().undo({}, world.now());
    REQUIRE_FALSE(undone);
    CHECK(undone.error().code == ErrorCode::refused);
    CHECK(undone.error().hint.find("sync resolve") != std::string::npos);
    CHECK(exists(world.at(0, "one/SKILL.md")));
    CHECK(world.skill(0, "one") == world.skill(1, "one"));
  }

  TEST_CASE("a deletion whose other copies go out of sight is not tried in a row") {
    sync_test::WatchedFiles files;
    SyncWorld world({".agents", ".claude"});
    world.use(files);
    world.open();
    world.write_skill(0, "one", "text");
    world.write_skill(0, "two", "text");
    world.settle();
    world.remove(0, "one");
    world.run();
    SUBCASE("before it is tried") {}
    SUBCASE("after it failed") {
      files.before = [&](const sync_test::FileCall& call) -> Result<void> {
        return std::string_view(call.name) == "move" ? fail(ErrorCode::permission, "may not")
                                                     : Result<void>();
      };
      world.pass(2'500);
      REQUIRE(world.run().retry_at_ms);
    }
    std::filesystem::rename(world.root(1), world.root(1) + "-away");
    world.pass(60'000);
    sync::Round round = world.run();
    CHECK_FALSE(round.again_at_ms);
    CHECK(round.retry_at_ms.value_or(INT64_MAX) > world.now().steady_ms);
    files.before = {};
    std::filesystem::rename(world.root(1) + "-away", world.root(1));
    world.settle();
    CHECK_FALSE(exists(world.at(1, "one")));
  }
}
