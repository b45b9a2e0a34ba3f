#include "tests/support/sync_world.h"
#include "tests/sync/watched_files.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::test;

namespace {

// `left` in the first root, `right` in the second and later: `right` wins.
void disagree(SyncWorld& world) {
  world.write_skill(0, "one", "base");
  world.settle();
  world.write_skill(0, "one", "left");
  world.write_skill(1, "one", "right");
  // Later by its time: two writes within one tick of the file system's clock have the same.
  std::string file = world.at(1, "one/SKILL.md");
  auto time = std::filesystem::last_write_time(file);
  std::filesystem::last_write_time(file, time + std::chrono::seconds(1));
  world.settle();
}

void sql(SyncWorld& world, const char* text) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open((world.folder() / "state/sync.db").c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, text, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
}

} // namespace

TEST_SUITE("Engine: a root that is refused") {
  TEST_CASE("skills with copies there are not in sync, because nobody looks at them") {
    SyncWorld world;
    world.write_skill(0, "a", "one");
    world.settle();
    CHECK(world.engine().status().skills.at(0).state == SkillSyncState::in_sync);
    world.setup().roots[2].refused = true;
    world.setup().roots[2].reason = "it leads elsewhere";
    world.configure();
    world.remove(2, "a");
    world.settle();
    SyncStatusResult status = world.engine().status();
    CHECK(status.state == SyncState::halted);
    REQUIRE(status.skills.size() == 1);
    CHECK(status.skills[0].state == SkillSyncState::problem);
    CHECK(status.skills[0].replicas.at(2).reason == "it leads elsewhere");
    CHECK(status.skills[0].replicas.at(2).path == world.at(2, "a"));
    CHECK(status.skills[0].replicas[2].state == ReplicaState::problem);
    CHECK(status.skills[0].replicas[0].state == ReplicaState::current);
    REQUIRE(world.engine().accept_roots());
    CHECK(world.engine().status().skills.at(0).state == SkillSyncState::in_sync);
    CHECK(world.engine().status().state == SyncState::idle);
  }
}

TEST_SUITE("Engine") {
  TEST_CASE("a new skill reaches every root, byte for byte and with its executable bit") {
    SyncWorld world;
    world.write_skill(0, "one", "hello\r\nworld");
    write(world.at(0, "one/scripts/go.sh"), "#!/bin/sh\n", 0755);
    std::filesystem::create_symlink("scripts/go.sh", world.at(0, "one/go"));
    world.settle();
    for (std::size_t i : {1u, 2u}) {
      CHECK(world.skill(i, "one") == world.skill(0, "one"));
      CHECK(::access(world.at(i, "one/scripts/go.sh").c_str(), X_OK) == 0);
      CHECK(std::filesystem::read_symlink(world.at(i, "one/go")) == "scripts/go.sh");
    }
    CHECK(world.run().steps.empty());
    CHECK(world.run().in_sync == 1);
  }

  TEST_CASE("who may not read one copy may not read those that are made after it") {
    SyncWorld world;
    auto mode = [&](std::size_t root, const std::string& path) {
      struct stat status {};
      REQUIRE(::stat(world.at(root, path).c_str(), &status) == 0);
      return status.st_mode & 0777;
    };
    world.write_skill(0, "one", "first");
    REQUIRE(::chmod(world.at(0, "one").c_str(), 0700) == 0);
    REQUIRE(::chmod(world.at(0, "one/SKILL.md").c_str(), 0600) == 0);
    world.settle();
    CHECK(mode(1, "one") == 0700);
    CHECK(mode(1, "one/SKILL.md") == 0600);
    // Each copy keeps what it has.
    REQUIRE(::chmod(world.at(2, "one").c_str(), 0755) == 0);
    REQUIRE(::chmod(world.at(2, "one/SKILL.md").c_str(), 0644) == 0);
    world.write_skill(2, "one", "second");
    world.settle();
    REQUIRE(world.skill(0, "one").find("second") != std::string::npos);
    CHECK(mode(0, "one") == 0700);
    CHECK(mode(0, "one/SKILL.md") == 0600);
    CHECK(mode(1, "one/SKILL.md") == 0600);
    CHECK(mode(2, "one/SKILL.md") == 0644);
  }

  TEST_CASE("an edit in any root reaches the others, and undo takes it back") {
    SyncWorld world;
    world.write_skill(0, "one", "first");
    world.settle();
    world.write_skill(2, "one", "second");
    world.settle();
    CHECK(world.skill(0, "one").find("second") != std::string::npos);
    CHECK(world.skill(1, "one").find("second") != std::string::npos);
    auto undone = world.engine().undo({}, world.now());
    REQUIRE_MESSAGE(undone, undone.error().message);
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(world.skill(i, "one").find("first") != std::string::npos);
    }
    CHECK(world.run().steps.empty());
  }

  TEST_CASE("edits of different files in different roots are joined") {
    SyncWorld world;
    world.write_skill(0, "one", "a\nb\nc\nd\ne");
    write(world.at(0, "one/notes.md"), "notes\n");
    world.settle();
    write(world.at(0, "one/notes.md"), "better notes\n");
    world.write_skill(1, "one", "A\nb\nc\nd\ne");
    world.write_skill(2, "one", "a\nb\nc\nd\nE");
    world.settle();
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(world.skill(i, "one").find("A\nb\nc\nd\nE") != std::string::npos);
      CHECK(read(world.at(i, "one/notes.md")) == "better notes\n");
    }
    CHECK(world.engine().status().conflicts == 0);
  }

  TEST_CASE(
      "edits of the same line are a conflict: one wins, the other is kept and can be chosen") {
    SyncWorld world;
    disagree(world);
    CHECK(world.skill(0, "one") == world.skill(1, "one"));
    CHECK(world.engine().status().conflicts == 1);
    auto conflicts = world.engine().conflicts({});
    REQUIRE(conflicts);
    REQUIRE(conflicts->conflicts.size() == 1);
    const auto& versions = conflicts->conflicts[0].versions;
    REQUIRE(versions.size() == 2);
    CHECK(versions[0].winner);
    CHECK(versions[0].text->find("right") != std::string::npos);
    CHECK(versions[1].text->find("left") != std::string::npos);
    CHECK(read(versions[1].stored + "/SKILL.md").find("left") != std::string::npos);
    auto resolved = world.engine().resolve({"one", "loser", false}, world.now());
    REQUIRE_MESSAGE(resolved, resolved.error().message);
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(world.skill(i, "one").find("left") != std::string::npos);
    }
    CHECK(world.engine().status().conflicts == 0);
  }

  TEST_CASE("a conflict is told once, however long its losing copy cannot be written") {
    sync_test::WatchedFiles files;
    SyncWorld world;
    world.use(files);
    world.open();
    files.before = [&](const sync_test::FileCall& call) -> Result<void> {
      if (std::string_view(call.name) == "exchange" && call.path.starts_with(world.root(0))) {
        return fail(ErrorCode::permission, "may not be written");
      }
      return {};
    };
    world.write_skill(0, "one", "base");
    world.settle();
    world.write_skill(0, "one", "left");
    world.write_skill(1, "one", "right");
    std::string file = world.at(1, "one/SKILL.md");
    auto time = std::filesystem::last_write_time(file);
    std::filesystem::last_write_time(file, time + std::chrono::seconds(1));
    for (int i = 0; i < 5; ++i) {
      world.run();
      world.pass(3'000);
    }
    CHECK(world.skill(0, "one").find("left") != std::string::npos);
    CHECK(world.skill(2, "one").find("right") != std::string::npos);
    auto conflicts = world.engine().conflicts({});
    REQUIRE(conflicts);
    REQUIRE(conflicts->conflicts.size() == 1);
    CHECK(conflicts->conflicts[0].versions.size() == 2);
    auto log = world.engine().log({"one", 100});
    REQUIRE(log);
    CHECK(std::ranges::count(log->entries, SyncAction::conflict, &HistoryEntry::action) == 1);
    files.before = {};
    world.settle();
    CHECK(world.skill(0, "one").find("right") != std::string::npos);
    CHECK(world.engine().status().conflicts == 1);
  }

  TEST_CASE("the undo of a choice opens the conflict again") {
    SyncWorld world;
    disagree(world);
    const char* take = "loser";
    SUBCASE("that put the loser in place") {}
    SUBCASE("that left the winner in place") {
      take = "winner";
    }
    SUBCASE("that a person made by hand") {
      world.write_skill(2, "one", "left");
      take = nullptr;
    }
    if (take != nullptr) {
      REQUIRE(world.engine().resolve({"one", take, false}, world.now()));
    }
    world.settle();
    REQUIRE(world.engine().status().conflicts == 0);
    auto undone = world.engine().undo({}, world.now());
    REQUIRE_MESSAGE(undone, undone.error().message);
    world.settle();
    CHECK(world.engine().status().conflicts == 1);
    CHECK(world.skill(2, "one").find("right") != std::string::npos);
    auto conflicts = world.engine().conflicts({});
    REQUIRE(conflicts);
    REQUIRE(conflicts->conflicts.size() == 1);
    const auto& versions = conflicts->conflicts[0].versions;
    REQUIRE(versions.size() == 2);
    CHECK(versions[0].winner);
    CHECK(versions[1].text->find("left") != std::string::npos);
    CHECK(exists(versions[1].stored + "/SKILL.md"));
    // And it can be settled once more.
    REQUIRE(world.engine().resolve({"one", "loser", false}, world.now()));
    CHECK(world.skill(2, "one").find("left") != std::string::npos);
    CHECK(world.engine().status().conflicts == 0);
  }

  TEST_CASE("who takes the winner is told what the look before that did") {
    SyncWorld world;
    disagree(world);
    world.write_skill(2, "one", "edited");
    auto resolved = world.engine().resolve({"one", "winner", false}, world.now());
    REQUIRE_MESSAGE(resolved, resolved.error().message);
    CHECK(world.skill(0, "one").find("edited") != std::string::npos);
    CHECK(resolved->steps.size() == 2);
  }

  TEST_CASE("a choice that is in force again settles its conflict again") {
    SyncWorld world;
    disagree(world);
    const char* take = "loser";
    const char* text = "left";
    SUBCASE("of the loser") {}
    SUBCASE("of the winner") {
      take = "winner";
      text = "right";
    }
    REQUIRE(world.engine().resolve({"one", take, false}, world.now()));
    REQUIRE(world.engine().undo({}, world.now()));
    auto turn = [&] {
      auto log = world.engine().log({});
      REQUIRE(log);
      SyncUndoParams params;
      params.id = log->entries.at(0).id;
      auto round = world.engine().undo(params, world.now());
      REQUIRE_MESSAGE(round, round.error().message);
      world.settle();
    };
    for (int i = 0; i < 2; ++i) {
      turn();
      CHECK(world.engine().status().conflicts == 0);
      CHECK(world.engine().conflicts({})->conflicts.empty());
      CHECK(world.skill(2, "one").find(text) != std::string::npos);
      turn();
      CHECK(world.engine().status().conflicts == 1);
      CHECK(world.engine().conflicts({})->conflicts.size() == 1);
      CHECK(world.skill(2, "one").find("right") != std::string::npos);
    }
  }

  TEST_CASE("what lies where a copy was taken away on purpose is shown as what it is") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    REQUIRE(world.engine().undo({}, world.now()));
    auto states = [&] {
      std::vector<ReplicaState> all;
      SyncStatusResult status = world.engine().status();
      for (const ReplicaStatus& copy : status.skills.at(0).replicas) {
        all.push_back(copy.state);
      }
      return all;
    };
    using enum ReplicaState;
    CHECK(states() == std::vector{current, excluded, excluded});
    write(world.at(1, "one/notes.md"), "no document yet\n");
    world.run();
    CHECK(states() == std::vector{current, incomplete, excluded});
  }

  TEST_CASE(
      "a deletion waits for the grace period, then reaches the others, and undo brings it back") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.write_skill(0, "two", "text of two");
    world.settle();
    world.remove(1, "one");
    world.run();
    CHECK(exists(world.at(0, "one")));
    world.pass(2'500);
    world.run();
    CHECK_FALSE(exists(world.at(0, "one")));
    CHECK_FALSE(exists(world.at(2, "one")));
    CHECK(exists(world.at(0, "two/SKILL.md")));
    auto undone = world.engine().undo({}, world.now());
    REQUIRE_MESSAGE(undone, undone.error().message);
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(world.skill(i, "one").find("text") != std::string::npos);
    }
  }

  TEST_CASE("an edit beats a deletion") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.write_skill(0, "two", "text of two");
    world.settle();
    world.remove(1, "one");
    world.write_skill(0, "one", "edited");
    world.settle();
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(world.skill(i, "one").find("edited") != std::string::npos);
    }
  }

  TEST_CASE("a renamed skill is renamed everywhere without waiting") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.write_skill(0, "other", "stays");
    world.settle();
    std::filesystem::rename(world.at(1, "one"), world.at(1, "uno"));
    world.run();
    world.run();
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(exists(world.at(i, "uno/SKILL.md")));
      CHECK_FALSE(exists(world.at(i, "one")));
    }
  }

  TEST_CASE("many deletions at once are held for a person") {
    SyncWorld world;
    for (int i = 0; i < 10; ++i) {
      world.write_skill(0, "s" + std::to_string(i), "text " + std::to_string(i));
    }
    world.settle();
    for (int i = 0; i < 5; ++i) {
      world.remove(0, "s" + std::to_string(i));
    }
    world.settle();
    CHECK(exists(world.at(1, "s0/SKILL.md")));
    CHECK(world.engine().status().held == 5);
    REQUIRE(world.engine().resolve({"s0", "restore", false}, world.now()));
    CHECK(exists(world.at(0, "s0/SKILL.md")));
    REQUIRE(world.engine().resolve({"s1", "delete", false}, world.now()));
    CHECK_FALSE(exists(world.at(1, "s1")));
    CHECK(world.engine().status().held == 3);
  }

  TEST_CASE("of many deletions, those that are everywhere already are not held") {
    SyncWorld world;
    for (int i = 0; i < 10; ++i) {
      world.write_skill(0, "s" + std::to_string(i), "text " + std::to_string(i));
    }
    world.settle();
    for (std::size_t root : {0u, 1u, 2u}) {
      for (int i = 0; i < 4; ++i) {
        world.remove(root, "s" + std::to_string(i));
      }
    }
    world.remove(0, "s4");
    world.run();
    world.pass(2'500);
    world.run();
    CHECK(world.engine().status().held == 1);
    CHECK(world.engine().status("s0").skills.empty());
    CHECK(world.engine().status("s4").skills[0].state == SkillSyncState::held);
    // They count all the same: what follows within the window is a part of it.
    world.remove(0, "s5");
    world.run();
    world.pass(2'500);
    world.run();
    CHECK(world.engine().status().held == 2);
    CHECK(exists(world.at(1, "s5/SKILL.md")));
  }

  TEST_CASE("a root that vanished or was emptied halts and takes nobody with it") {
    SyncWorld world;
    for (int i = 0; i < 3; ++i) {
      world.write_skill(0, "s" + std::to_string(i), "text " + std::to_string(i));
    }
    world.settle();
    SUBCASE("vanished") {
      std::filesystem::rename(world.root(1), world.root(1) + ".away");
    }
    SUBCASE("emptied") {
      for (int i = 0; i < 3; ++i) {
        world.remove(1, "s" + std::to_string(i));
      }
    }
    SUBCASE("replaced by a link") {
      std::filesystem::rename(world.root(1), world.root(1) + ".away");
      std::filesystem::create_symlink("/nonexistent", world.root(1));
    }
    world.run();
    world.pass(10'000);
    world.run();
    CHECK(exists(world.at(0, "s0/SKILL.md")));
    CHECK(exists(world.at(2, "s2/SKILL.md")));
    CHECK(world.engine().status().state == SyncState::halted);
    // An edit elsewhere does not write into the halted root.
    world.write_skill(0, "s0", "edited");
    world.run();
    CHECK(world.skill(2, "s0").find("edited") != std::string::npos);
    CHECK_FALSE(exists(world.at(1, "s0/SKILL.md")));
  }

  TEST_CASE("a version of a conflict can be chosen after its skill was deleted") {
    SyncWorld world;
    world.write_skill(0, "one", "left");
    world.write_skill(1, "one", "right");
    world.write_skill(0, "two", "text");
    world.settle();
    world.remove(0, "one");
    world.settle();
    REQUIRE_FALSE(exists(world.at(1, "one")));
    auto conflicts = world.engine().conflicts({});
    REQUIRE(conflicts);
    REQUIRE(conflicts->conflicts.size() == 1);
    auto planned = world.engine().resolve({"one", "loser", true}, world.now());
    REQUIRE_MESSAGE(planned, planned.error().message);
    CHECK(planned->steps.size() == 3);
    CHECK(world.engine().status().skills.size() == 1);
    auto done = world.engine().resolve({"one", "loser", false}, world.now());
    REQUIRE_MESSAGE(done, done.error().message);
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(exists(world.at(i, "one/SKILL.md")));
      CHECK(world.skill(i, "one") == world.skill(0, "one"));
    }
    CHECK(world.run().steps.empty());
  }

  TEST_CASE("a root that was emptied and comes back piece by piece deletes nothing") {
    SyncWorld world;
    for (int i = 0; i < 4; ++i) {
      world.write_skill(0, "s" + std::to_string(i), "text " + std::to_string(i));
    }
    world.settle();
    const std::string away = world.folder() / "away";
    std::filesystem::create_directory(away);
    auto move = [](const std::string& from, const std::string& to) {
      std::filesystem::rename(from, to);
    };
    for (int i = 0; i < 4; ++i) {
      std::string name = "s" + std::to_string(i);
      move(world.at(1, name), away + "/" + name);
    }
    world.run();
    REQUIRE(world.engine().status().state == SyncState::halted);
    move(away + "/s0", world.at(1, "s0"));
    for (int i = 0; i < 4; ++i) {
      world.run();
      world.pass(10'000);
      if (i == 1) {
        world.open(); // another process knows it too
      }
    }
    for (int i = 0; i < 4; ++i) {
      CHECK(exists(world.at(0, "s" + std::to_string(i) + "/SKILL.md")));
    }
    SyncStatusResult status = world.engine().status();
    CHECK(status.state == SyncState::halted);
    CHECK(status.roots[1].reason.find("3 are still missing") != std::string::npos);
    SUBCASE("until the rest is back") {
      // What was changed while nobody looked is seen then, whoever is named.
      write(world.at(1, "s0/notes.md"), "new\n");
      for (int i = 1; i < 4; ++i) {
        std::string name = "s" + std::to_string(i);
        move(away + "/" + name, world.at(1, name));
      }
      sync::Work work;
      work.touched = {{world.root(1), "s3", 1}};
      work.now = world.now();
      REQUIRE(world.engine().run(work));
      CHECK(read(world.at(2, "s0/notes.md")) == "new\n");
    }
    SUBCASE("until what is missing was deleted elsewhere") {
      for (int i = 1; i < 4; ++i) {
        world.remove(0, "s" + std::to_string(i));
        world.settle();
        world.pass(20'000);
      }
      CHECK_FALSE(exists(world.at(2, "s1")));
    }
    SUBCASE("until a person says so") {
      REQUIRE(world.engine().accept_roots());
      world.settle();
      CHECK(exists(world.at(1, "s3/SKILL.md")));
      world.open();
    }
    world.settle();
    CHECK(world.engine().status().state == SyncState::idle);
    CHECK(exists(world.at(1, "s0/SKILL.md")));
  }

  TEST_CASE("an edit made from an older agreement does not overwrite the newer one") {
    SyncWorld world;
    world.write_skill(0, "one", "a\n\n\nb\n\n\nc");
    write(world.at(0, "one/notes.md"), "notes\n");
    world.settle();
    const std::string lock = world.folder() / ".claude/.git/index.lock";
    write(lock, "");
    world.write_skill(0, "one", "left\n\n\nb\n\n\nc");
    write(world.at(0, "one/notes.md"), "better notes\n");
    world.run();
    REQUIRE(world.skill(2, "one").find("left") != std::string::npos);
    SUBCASE("where both can be had") {
      world.write_skill(1, "one", "a\n\n\nb\n\n\nright");
      std::filesystem::remove(lock);
      world.settle();
      for (std::size_t i : {0u, 1u, 2u}) {
        CHECK(world.skill(i, "one").find("left\n\n\nb\n\n\nright") != std::string::npos);
        CHECK(read(world.at(i, "one/notes.md")) == "better notes\n");
      }
      CHECK(world.engine().status().conflicts == 0);
    }
    SUBCASE("where only one can be had") {
      world.write_skill(1, "one", "right\n\n\nb\n\n\nc");
      std::filesystem::remove(lock);
      world.settle();
      CHECK(world.skill(0, "one") == world.skill(1, "one"));
      auto conflicts = world.engine().conflicts({});
      REQUIRE(conflicts);
      REQUIRE(conflicts->conflicts.size() == 1);
      const auto& versions = conflicts->conflicts[0].versions;
      REQUIRE(versions.size() == 2);
      std::string texts = *versions[0].text + *versions[1].text;
      CHECK(texts.find("left") != std::string::npos);
      CHECK(texts.find("right") != std::string::npos);
    }
  }

  TEST_CASE("what is edited while git is at work is seen when git is done") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    const std::string lock = world.folder() / ".claude/.git/index.lock";
    write(lock, "");
    world.write_skill(1, "one", "edited");
    sync::Work work;
    work.touched = {{world.root(1), "one", 1}};
    work.now = world.now();
    auto round = world.engine().run(work);
    REQUIRE(round);
    CHECK(world.skill(0, "one").find("edited") == std::string::npos);
    REQUIRE(round->again_at_ms);
    std::filesystem::remove(lock);
    work.touched = round->again; // as the daemon does, at that time
    REQUIRE(world.engine().run(work));
    CHECK(world.skill(0, "one").find("edited") != std::string::npos);
  }

  TEST_CASE("an undo that is only planned lets what was taken away stay away") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    REQUIRE(world.engine().undo({}, world.now()));
    REQUIRE_FALSE(exists(world.at(1, "one")));
    auto log = world.engine().log({});
    REQUIRE(log);
    SyncUndoParams planned;
    planned.id = log->entries.at(0).id; // the undo itself
    planned.dry_run = true;
    auto back = world.engine().undo(planned, world.now());
    REQUIRE_MESSAGE(back, back.error().message);
    REQUIRE_FALSE(back->steps.empty());
    world.settle();
    CHECK_FALSE(exists(world.at(1, "one")));
  }

  TEST_CASE("what could not be recorded is recorded when it can be") {
    SyncWorld world;
    world.write_skill(0, "one", "old");
    world.settle();
    const std::string trigger = "CREATE TRIGGER full BEFORE UPDATE ON skills BEGIN"
                                " SELECT RAISE(ABORT, 'no space'); END";
    sql(world, trigger.c_str());
    world.write_skill(0, "one", "new");
    world.settle();
    REQUIRE(world.skill(2, "one").find("new") != std::string::npos);
    CHECK(world.engine().status().skills.at(0).state == SkillSyncState::problem);
    CHECK(world.engine().status().warnings.size() == 1);
    sql(world, "DROP TRIGGER full");
    world.settle();
    CHECK(world.engine().status().skills.at(0).state == SkillSyncState::in_sync);
    const std::string agreed = world.engine().status().skills.at(0).hash;
    world.open(); // as after a restart: only what is on record counts
    CHECK(world.engine().status().skills.at(0).hash == agreed);
    world.settle();
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(world.skill(i, "one").find("new") != std::string::npos);
    }
  }

  TEST_CASE("the overview says what the status says, without its skills") {
    SyncWorld world;
    world.write_skill(0, "one", "left");
    world.write_skill(1, "one", "right");
    world.write_skill(0, "two", "text");
    world.write_skill(0, "con", "a name that is refused");
    world.settle();
    SyncStatusResult status = world.engine().status();
    sync::SyncOverview overview = world.engine().overview();
    REQUIRE(status.skills.size() == 3);
    CHECK(overview.skills == 3);
    CHECK(overview.status.skills.empty());
    CHECK(overview.status.conflicts == 1);
    CHECK(overview.status.state == status.state);
    CHECK(overview.status.agents == status.agents);
    CHECK(overview.status.roots.size() == status.roots.size());
    CHECK(overview.status.roots[1].skills == 2);
  }

  // A copy of a new skill in there would make the rest look deleted one by one.
  TEST_CASE("nothing new is written into an emptied root") {
    SyncWorld world;
    for (int i = 0; i < 3; ++i) {
      world.write_skill(0, "s" + std::to_string(i), "text " + std::to_string(i));
    }
    world.settle();
    for (int i = 0; i < 3; ++i) {
      world.remove(1, "s" + std::to_string(i));
    }
    world.write_skill(0, "fresh", "text");
    sync::Work work;
    SUBCASE("everything is looked at") {
      work.everything = true;
    }
    SUBCASE("only the new skill is looked at") {
      work.touched = {{world.root(0), "fresh", 1}};
    }
    work.now = world.now();
    REQUIRE(world.engine().run(work));
    CHECK(world.engine().status().state == SyncState::halted);
    CHECK(exists(world.at(2, "fresh/SKILL.md")));
    CHECK_FALSE(exists(world.at(1, "fresh")));
    world.run();
    world.pass(10'000);
    world.run();
    for (int i = 0; i < 3; ++i) {
      CHECK(exists(world.at(0, "s" + std::to_string(i) + "/SKILL.md")));
    }
  }

  TEST_CASE("losing the database loses no skill: the union remains") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.write_skill(0, "two", "text");
    world.settle();
    world.remove(0, "one");
    world.write_skill(1, "two", "edited");
    world.close();
    SUBCASE("deleted") {
      std::filesystem::remove_all(world.folder() / "state");
    }
    SUBCASE("damaged") {
      write(world.folder() / "state/sync.db", std::string(8192, 'x'));
    }
    SUBCASE("damaged behind its first page") {
      std::string bytes = read(world.folder() / "state/sync.db");
      REQUIRE(bytes.size() > 4096);
      std::fill(bytes.begin() + 4096, bytes.end(), '\xEE');
      write(world.folder() / "state/sync.db", bytes);
    }
    world.open();
    world.settle();
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(exists(world.at(i, "one/SKILL.md")));
    }
    auto conflicts = world.engine().conflicts({});
    REQUIRE(conflicts);
    CHECK(conflicts->conflicts.size() == 1);
  }

  TEST_CASE("a copy that a power failure tore is put right, and no other takes it for an edit") {
    SyncWorld world;
    SUBCASE("with a folder for staging of its own") {}
    SUBCASE("with one that belongs to another root too") {
      world.setup().roots[1].path = world.folder() / ".agents/more";
      std::filesystem::create_directory(world.root(1));
      world.configure();
    }
    world.write_skill(0, "one", "first");
    write(world.at(0, "one/script"), "#!/bin/sh\n");
    world.settle();
    write(world.at(0, "one/script"), "#!/bin/sh\nbetter\n");
    world.run();
    REQUIRE(read(world.at(1, "one/script")) == "#!/bin/sh\nbetter\n");
    // What ext4 leaves of a new file whose blocks were never written.
    std::filesystem::resize_file(world.at(1, "one/script"), 0);
    world.close();
    world.reboot();
    world.open();
    world.settle();
    for (std::size_t i : {0u, 1u, 2u}) {
      CHECK(read(world.at(i, "one/script")) == "#!/bin/sh\nbetter\n");
    }
  }
}

TEST_SUITE("Engine: progress") {
  TEST_CASE("a round says after each skill how far it is") {
    SyncWorld world;
    for (const char* name : {"a", "b", "c"}) {
      world.write_skill(0, name, "text");
    }
    std::vector<std::pair<std::size_t, std::size_t>> told;
    sync::Work work;
    work.everything = true;
    work.now = world.now();
    work.progress = [&told](std::size_t done, std::size_t of) { told.emplace_back(done, of); };
    REQUIRE(world.engine().run(work));
    CHECK(told == std::vector<std::pair<std::size_t, std::size_t>>{{1, 3}, {2, 3}, {3, 3}});
  }
}
