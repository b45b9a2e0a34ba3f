#include "tests/support/sync_world.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::test;

namespace {

std::vector<Conflict> conflicts_of(SyncWorld& world) {
  auto found = world.engine().conflicts({});
  REQUIRE_MESSAGE(found, found.error().message);
  return std::move(found->conflicts);
}

// A project of two roots beside the user's own, with everybody enabled.
sync::ScopeSetup project_beside(SyncWorld& world) {
  sync::ScopeSetup project = world.setup();
  project.project = world.folder() / "project";
  project.roots.resize(2);
  project.agents.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    project.roots[i].path = project.project + "/root" + std::to_string(i);
    std::filesystem::create_directories(project.roots[i].path);
  }
  return project;
}

// The first version of the only conflict that has or has not won, as a person is shown it.
ConflictVersion shown(SyncWorld& world, bool winner) {
  std::vector<Conflict> all = conflicts_of(world);
  REQUIRE(all.size() == 1);
  auto version = std::ranges::find(all[0].versions, winner, &ConflictVersion::winner);
  REQUIRE(version != all[0].versions.end());
  return *version;
}

} // namespace

TEST_SUITE("Conflicts") {
  TEST_CASE("in brief they say whose skill it is, as another scope may have one of that name") {
    SyncWorld world;
    sync::ScopeSetup project = project_beside(world);
    REQUIRE(world.engine().configure({world.setup(), project}, world.now()));
    write(project.roots[0].path + "/same/SKILL.md", "left\n");
    write(project.roots[1].path + "/same/SKILL.md", "right\n");
    world.settle();
    auto open = world.engine().open_conflicts();
    REQUIRE(open);
    REQUIRE(open->size() == 1);
    CHECK(open->front().skill == "same");
    CHECK(open->front().project == project.project);
    world.write_skill(0, "same", "left");
    world.write_skill(1, "same", "right");
    world.settle();
    open = world.engine().open_conflicts();
    REQUIRE(open->size() == 2);
    CHECK(open->back().project == "");
    world.configure(); // without the project
    open = world.engine().open_conflicts();
    REQUIRE(open->size() == 2);
    CHECK_FALSE(open->front().project);
  }

  TEST_CASE("a name that begins with digits does not settle the conflict of that number") {
    SyncWorld world;
    world.write_skill(0, "other", "left");
    world.write_skill(1, "other", "right");
    world.settle();
    REQUIRE(conflicts_of(world).size() == 1);
    REQUIRE(conflicts_of(world)[0].id == 1);
    const std::string before = world.skill(0, "other");
    for (const char* name : {"1-step", "1 ", "+1", "-1", "01x", ""}) {
      CAPTURE(name);
      auto refused = world.engine().resolve({name, "loser", false}, world.now());
      REQUIRE_FALSE(refused);
      CHECK(refused.error().code == ErrorCode::not_found);
    }
    CHECK(world.skill(0, "other") == before);
    REQUIRE(world.engine().resolve({"1", "loser", false}, world.now()));
    CHECK(conflicts_of(world).empty());
  }

  TEST_CASE("a skill that is renamed takes its conflict along") {
    SyncWorld world;
    world.write_skill(0, "one", "left");
    world.write_skill(1, "one", "right");
    world.settle();
    const std::string lost = shown(world, false).hash;
    world.remove(0, "two");
    std::filesystem::rename(world.at(0, "one"), world.at(0, "two"));
    world.settle();
    REQUIRE(exists(world.at(2, "two")));
    REQUIRE_FALSE(exists(world.at(2, "one")));
    REQUIRE(conflicts_of(world).size() == 1);
    CHECK(conflicts_of(world)[0].skill == "two");
    CHECK(shown(world, true).path.ends_with("/two"));
    CHECK(world.engine().status("two").skills.at(0).state == SkillSyncState::conflict);
    REQUIRE(world.engine().resolve({"two", lost.substr(0, 8), false}, world.now()));
    world.settle();
    CHECK(conflicts_of(world).empty());
    CHECK_FALSE(exists(world.at(0, "one")));
  }

  TEST_CASE("the plan to carry out a held deletion says what goes, and confirms nothing") {
    SyncWorld world;
    for (char name : std::string("abcdef")) {
      world.write_skill(0, std::string(1, name), "text");
    }
    world.settle();
    for (char name : std::string("abcde")) {
      world.remove(1, std::string(1, name));
    }
    world.settle();
    REQUIRE(world.engine().status().held == 5);
    auto planned = world.engine().resolve({"a", "delete", true}, world.now());
    REQUIRE_MESSAGE(planned, planned.error().message);
    CHECK(planned->steps.size() == 2);
    world.settle();
    CHECK(world.engine().status().held == 5);
    CHECK(exists(world.at(0, "a")));
    REQUIRE(world.engine().resolve({"a", "delete", false}, world.now()));
    CHECK_FALSE(exists(world.at(0, "a")));
    CHECK(exists(world.at(0, "b")));
  }

  TEST_CASE("a skill whose name is a number goes before the conflict of that number") {
    SyncWorld world;
    world.write_skill(0, "other", "left");
    world.write_skill(1, "other", "right");
    world.settle();
    world.write_skill(0, "1", "left");
    world.write_skill(1, "1", "right");
    world.settle();
    REQUIRE(conflicts_of(world).size() == 2);
    REQUIRE(world.engine().resolve({"1", "loser", false}, world.now()));
    REQUIRE(conflicts_of(world).size() == 1);
    CHECK(conflicts_of(world)[0].skill == "other");
  }

  TEST_CASE("a name that has conflicts in several scopes is refused, their numbers are not") {
    SyncWorld world;
    sync::ScopeSetup project = project_beside(world);
    REQUIRE(world.engine().configure({world.setup(), project}, world.now()));
    for (std::size_t i : {0u, 1u}) {
      std::string text = i == 0 ? "left" : "right";
      world.write_skill(i, "one", text);
      write(project.roots[i].path + "/one/SKILL.md",
            "---\nname: one\ndescription: d\n---\n" + text + "\n");
    }
    world.settle();
    std::vector<Conflict> open = conflicts_of(world);
    REQUIRE(open.size() == 2);
    auto refused = world.engine().resolve({"one", "loser", false}, world.now());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::invalid_argument);
    for (const Conflict& conflict : open) {
      CHECK(refused.error().hint.find("`" + std::to_string(conflict.id) + "`")
            != std::string::npos);
    }
    auto in_project = std::ranges::find(open, project.project, &Conflict::scope);
    REQUIRE(in_project != open.end());
    std::string number = std::to_string(in_project->id);
    REQUIRE(world.engine().resolve({number, "loser", false}, world.now()));
    REQUIRE(conflicts_of(world).size() == 1);
    CHECK(conflicts_of(world)[0].scope == "user");
    REQUIRE(world.engine().resolve({"one", "loser", false}, world.now()));
    CHECK(conflicts_of(world).empty());
  }

  TEST_CASE("a held deletion and a conflict of one skill are told apart by what is taken") {
    SyncWorld world;
    for (int i = 0; i < 10; ++i) {
      world.write_skill(0, "s" + std::to_string(i), "left " + std::to_string(i));
    }
    world.write_skill(1, "s0", "right");
    world.settle();
    for (int i = 0; i < 5; ++i) {
      world.remove(0, "s" + std::to_string(i));
    }
    world.settle();
    auto open = [&](ConflictKind kind) {
      return std::ranges::count(conflicts_of(world), kind, &Conflict::kind);
    };
    REQUIRE(open(ConflictKind::deletion) == 5);
    REQUIRE(open(ConflictKind::content) == 1);
    REQUIRE(world.engine().resolve({"s0", "restore", false}, world.now()));
    CHECK(open(ConflictKind::deletion) == 4);
    CHECK(open(ConflictKind::content) == 1);
    REQUIRE(world.engine().resolve({"s0", "winner", false}, world.now()));
    CHECK(open(ConflictKind::content) == 0);
  }

  TEST_CASE("what differs is named, and the first of it shown") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    write(world.at(0, "one/scripts/run.sh"), "echo base\n", 0755);
    write(world.at(0, "one/notes.md"), "notes\n");
    world.settle();
    std::string document = "text";
    SUBCASE("in a script alone") {}
    SUBCASE("in the document too, which goes first") {
      document = "left";
      world.write_skill(1, "one", "right");
    }
    world.write_skill(0, "one", document);
    write(world.at(0, "one/scripts/run.sh"), "echo left\n", 0755);
    write(world.at(1, "one/scripts/run.sh"), "echo right\n", 0755);
    world.settle();
    std::vector<Conflict> open = conflicts_of(world);
    REQUIRE(open.size() == 1);
    REQUIRE(open[0].versions.size() == 2);
    CHECK(open[0].versions[0].differs.empty());
    const ConflictVersion& loser = open[0].versions[1];
    if (document == "text") {
      CHECK(loser.differs == std::vector<std::string>{"scripts/run.sh"});
      CHECK(loser.diff.find("+++ this/scripts/run.sh") != std::string::npos);
      CHECK(loser.diff.find("echo left") != std::string::npos);
      CHECK(loser.diff.find("echo right") != std::string::npos);
    } else {
      CHECK(loser.differs == std::vector<std::string>{"SKILL.md", "scripts/run.sh"});
      CHECK(loser.diff.find("+++ this/SKILL.md") != std::string::npos);
      CHECK(loser.diff.find("echo") == std::string::npos);
    }
    CHECK(loser.more_differ == 0);
  }

  TEST_CASE("what has no text to compare is said in a sentence, and many paths are bounded") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.write_skill(1, "one", "text");
    auto shown = [&] {
      world.settle();
      std::vector<Conflict> open = conflicts_of(world);
      REQUIRE(open.size() == 1);
      return open[0].versions.at(1);
    };
    SUBCASE("a program that is none") {
      write(world.at(0, "one/run"), "x\n", 0755);
      write(world.at(1, "one/run"), "x\n", 0644);
      std::string text = shown().diff;
      CHECK(text.starts_with("`run` is a "));
      CHECK(text.find("program") != std::string::npos);
      CHECK(text.find("a file") != std::string::npos);
    }
    SUBCASE("another kind of thing") {
      write(world.at(0, "one/run"), "x\n");
      std::filesystem::create_symlink("SKILL.md", world.at(1, "one/run"));
      CHECK(shown().diff.find("a link to `SKILL.md`") != std::string::npos);
    }
    SUBCASE("too many to name, and one too large to compare") {
      write(world.at(0, "one/a"), std::string(5u << 20, 'a'));
      for (int i = 0; i < 50; ++i) {
        write(world.at(1, "one/file" + std::to_string(i)), "x\n");
      }
      ConflictVersion loser = shown();
      CHECK(loser.differs.size() == 20);
      CHECK(loser.more_differ == 31);
      CHECK(loser.diff == "`a` differs and is too large to compare\n");
    }
  }

  TEST_CASE("a winner is shown as it is now, the losers as they were kept") {
    SyncWorld world;
    world.write_skill(0, "one", "left");
    world.write_skill(1, "one", "right");
    world.settle();
    std::vector<Conflict> before = conflicts_of(world);
    auto look = [&] {
      std::vector<Conflict> shown = conflicts_of(world);
      REQUIRE(shown.size() == 1);
      return shown[0].versions;
    };
    auto winner_of = [](const std::vector<ConflictVersion>& versions) {
      return *std::ranges::find(versions, true, &ConflictVersion::winner);
    };
    auto loser_of = [](const std::vector<ConflictVersion>& versions) {
      return *std::ranges::find(versions, false, &ConflictVersion::winner);
    };
    const ConflictVersion won = winner_of(before[0].versions);
    CHECK_FALSE(winner_of(look()).edited);
    CHECK(winner_of(look()).hash == won.hash);
    world.write_skill(2, "one", "edited");
    for (int i = 0; i < 2; ++i) {
      CAPTURE(i); // before it arrives, and after
      ConflictVersion winner = winner_of(look());
      CHECK(winner.edited);
      CHECK(winner.before == won.hash);
      CHECK(winner.hash != won.hash);
      CHECK(winner.text.value_or("").find("edited") != std::string::npos);
      ConflictVersion loser = loser_of(look());
      CHECK(loser.hash == loser_of(before[0].versions).hash);
      CHECK(loser.text == loser_of(before[0].versions).text);
      CHECK(loser.diff.find("-edited") != std::string::npos);
      world.settle();
    }
    REQUIRE(world.skill(0, "one").find("edited") != std::string::npos);
  }

  TEST_CASE("a copy that is only behind is no edit of the winner") {
    SyncWorld world;
    world.write_skill(0, "one", "common");
    world.settle();
    const std::string lock = world.folder() / ".cursor/.git/index.lock";
    write(lock, "");
    world.write_skill(0, "one", "left");
    world.write_skill(1, "one", "right");
    world.run();
    CHECK(world.skill(2, "one").find("common") != std::string::npos);
    ConflictVersion winner = shown(world, true);
    CHECK_FALSE(winner.edited);
    CHECK(winner.path != world.at(2, "one"));
    // Nor is what somebody writes there while nobody may look at it.
    world.write_skill(2, "one", "later");
    CHECK_FALSE(shown(world, true).edited);
    std::filesystem::remove(lock);
    world.settle();
    CHECK(shown(world, true).text.value_or("").find("common") == std::string::npos);
  }

  TEST_CASE("an edited winner is shown at its own path") {
    for (int first = 0; first < 2; ++first) {
      CAPTURE(first); // the one that wins is the newer, so it is either
      SyncWorld world;
      world.write_skill(first, "one", "older");
      std::filesystem::last_write_time(world.at(first, "one/SKILL.md"),
                                       std::filesystem::file_time_type::clock::now()
                                           - std::chrono::hours(1));
      world.write_skill(1 - first, "one", "newer");
      world.settle();
      REQUIRE(shown(world, true).path == world.at(1 - first, "one"));
      world.write_skill(2, "one", "edited");
      CHECK(shown(world, true).path == world.at(2, "one"));
      world.settle();
      CHECK(shown(world, true).edited);
      CHECK(shown(world, true).path == world.at(1 - first, "one"));
      CHECK(shown(world, false).path == world.at(first, "one"));
    }
  }
}
