#include "tests/support/sync_world.h"
#include "tests/sync/watched_files.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::test;

namespace {

std::string text_in(const SyncWorld& world, std::size_t root) {
  std::string text = exists(world.at(root, "one/SKILL.md")) ? world.skill(root, "one") : "---\n";
  return text.substr(text.rfind("---\n") + 4);
}

// What each root shows of the skill, such as "a\n|a\n|"; nothing where it has no copy.
std::string texts(const SyncWorld& world) {
  return text_in(world, 0) + "|" + text_in(world, 1) + "|" + text_in(world, 2);
}

std::string all(const std::string& text) {
  return text + "\n|" + text + "\n|" + text + "\n";
}

void edit(SyncWorld& world, std::size_t root, const std::string& text) {
  world.write_skill(root, "one", text);
  world.settle();
}

void undo(SyncWorld& world) {
  auto round = world.engine().undo({}, world.now());
  REQUIRE_MESSAGE(round, round.error().message);
  world.settle();
}

Result<sync::Round> undo_entry(SyncWorld& world, std::int64_t id, bool force = false) {
  SyncUndoParams params;
  params.id = id;
  params.force = force;
  auto round = world.engine().undo(params, world.now());
  world.settle();
  return round;
}

HistoryEntry newest(SyncWorld& world) {
  auto log = world.engine().log({});
  REQUIRE(log);
  REQUIRE_FALSE(log->entries.empty());
  return log->entries.front();
}

} // namespace

TEST_SUITE("Engine: undo") {
  TEST_CASE("walks back one change at a time, and passes over what is undone") {
    SyncWorld world;
    edit(world, 0, "a");
    edit(world, 1, "b");
    edit(world, 2, "c");
    undo(world);
    CHECK(texts(world) == all("b"));
    undo(world);
    CHECK(texts(world) == all("a"));
    edit(world, 1, "d");
    edit(world, 1, "e");
    undo(world);
    CHECK(texts(world) == all("d"));
    undo(world);
    CHECK(texts(world) == all("a"));
    undo(world);
    CHECK(texts(world) == "a\n||");
    auto none = world.engine().undo({}, world.now());
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
  }

  TEST_CASE("gets past a skill that was deleted and made again") {
    SyncWorld world;
    edit(world, 0, "old");
    world.remove(0, "one");
    world.settle();
    edit(world, 1, "new");
    undo(world);
    CHECK(texts(world) == "|new\n|");
    undo(world);
    CHECK(texts(world) == all("old"));
    undo(world);
    // What came back has no origin that is not a copy of sync's.
    CHECK(text_in(world, 2).empty());
  }

  TEST_CASE("finds a change behind any number of those that are undone") {
    SyncWorld world;
    edit(world, 0, "start");
    for (int i = 0; i < 60; ++i) {
      edit(world, 0, "text " + std::to_string(i));
    }
    for (int i = 59; i > 0; --i) {
      undo(world);
      REQUIRE(texts(world) == all("text " + std::to_string(i - 1)));
    }
    undo(world);
    CHECK(texts(world) == all("start"));
  }

  TEST_CASE("an undo is undone by its number, and that again") {
    SyncWorld world;
    edit(world, 0, "a");
    edit(world, 0, "b");
    edit(world, 0, "c");
    const std::int64_t change = newest(world).id;
    undo(world);
    const std::int64_t back_to_b = newest(world).id;
    undo(world);
    const std::int64_t back_to_a = newest(world).id;
    SUBCASE("in the order of what was undone") {
      auto early = undo_entry(world, back_to_b);
      REQUIRE_FALSE(early);
      CHECK(early.error().hint.find("entry " + std::to_string(back_to_a)) != std::string::npos);
      CHECK(texts(world) == all("a"));
      REQUIRE(undo_entry(world, back_to_a));
      CHECK(texts(world) == all("b"));
      REQUIRE(undo_entry(world, back_to_b));
      CHECK(texts(world) == all("c"));
      CHECK(undo_entry(world, back_to_b).error().code == ErrorCode::refused);
      auto log = world.engine().log({});
      REQUIRE(log);
      auto of = std::ranges::find(log->entries, change, &HistoryEntry::id);
      REQUIRE(of != log->entries.end());
      CHECK_FALSE(of->undone);
      undo(world);
      CHECK(texts(world) == all("b"));
      undo(world);
      CHECK(texts(world) == all("a"));
    }
    SUBCASE("back and forth") {
      REQUIRE(undo_entry(world, back_to_a));
      REQUIRE(undo_entry(world, newest(world).id)); // undoes the redo
      CHECK(texts(world) == all("a"));
      REQUIRE(undo_entry(world, newest(world).id));
      CHECK(texts(world) == all("b"));
    }
    SUBCASE("not over a newer change, unless forced") {
      edit(world, 1, "d");
      auto over = undo_entry(world, back_to_a);
      REQUIRE_FALSE(over);
      CHECK(over.error().code == ErrorCode::refused);
      CHECK(texts(world) == all("d"));
      REQUIRE(undo_entry(world, back_to_a, true));
      CHECK(texts(world) == all("b"));
      undo(world); // the walk goes on from there
      CHECK(texts(world) == all("a"));
    }
  }

  TEST_CASE("an older entry is undone where all that came after it is undone") {
    SyncWorld world;
    edit(world, 0, "a");
    edit(world, 0, "b");
    const std::int64_t to_b = newest(world).id;
    edit(world, 0, "c");
    const std::int64_t to_c = newest(world).id;
    auto refused = undo_entry(world, to_b);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().hint.find("entry " + std::to_string(to_c)) != std::string::npos);
    SUBCASE("by then") {
      REQUIRE(undo_entry(world, to_c));
      REQUIRE(undo_entry(world, to_b));
    }
    SUBCASE("with it, by force") {
      REQUIRE(undo_entry(world, to_b, true));
    }
    CHECK(texts(world) == all("a"));
    undo(world);
    CHECK(texts(world) == "a\n||");
  }

  TEST_CASE("what went with an entry by force comes back with it") {
    SyncWorld world;
    edit(world, 0, "a");
    edit(world, 0, "b");
    const std::int64_t to_b = newest(world).id;
    edit(world, 1, "c");
    edit(world, 0, "d");
    const std::int64_t to_d = newest(world).id;
    REQUIRE(undo_entry(world, to_b, true));
    CHECK(texts(world) == all("a"));
    const std::string ids = std::to_string(to_b) + " with " + std::to_string(to_b + 1) + ", ";
    CHECK(newest(world).reason == "undo of " + ids + std::to_string(to_d));
    REQUIRE(undo_entry(world, newest(world).id));
    CHECK(texts(world) == all("d"));
    SUBCASE("and is undone one by one") {
      for (const char* text : {"c", "b", "a"}) {
        undo(world);
        CHECK(texts(world) == all(text));
      }
    }
    SUBCASE("and goes with it again") {
      REQUIRE(undo_entry(world, newest(world).id));
      CHECK(texts(world) == all("a"));
      CHECK(undo_entry(world, to_d).error().code == ErrorCode::refused);
    }
    undo(world);
    CHECK(texts(world) == "a\n||");
  }

  TEST_CASE("of a new skill by force leaves the edits that came after it in force") {
    SyncWorld world;
    edit(world, 0, "a");
    const std::int64_t made = newest(world).id;
    edit(world, 0, "b");
    REQUIRE(undo_entry(world, made, true));
    CHECK(texts(world) == "b\n||");
    CHECK(newest(world).reason == "undo of " + std::to_string(made));
    undo(world);
    CHECK(texts(world) == "a\n||");
    auto none = world.engine().undo({}, world.now());
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::not_found);
    REQUIRE(undo_entry(world, newest(world).id));
    CHECK(texts(world) == "b\n||");
    auto log = world.engine().log({});
    REQUIRE(log);
    auto taken = std::ranges::find(log->entries, SyncAction::remove, &HistoryEntry::action);
    REQUIRE(taken != log->entries.end());
    REQUIRE(undo_entry(world, taken->id));
    CHECK(texts(world) == all("b"));
  }

  TEST_CASE("an edit of the same moment is the newest change") {
    SyncWorld world;
    edit(world, 0, "a");
    edit(world, 0, "b");
    world.write_skill(1, "one", "c"); // no round has seen it
    undo(world);
    CHECK(texts(world) == all("b"));
    undo(world);
    CHECK(texts(world) == all("a"));
  }

  TEST_CASE("what cannot be undone is passed over, and told of") {
    SyncWorld world;
    edit(world, 0, "a");
    world.write_skill(0, "two", "left");
    world.write_skill(1, "two", "right");
    world.settle();
    auto round = world.engine().undo({}, world.now());
    REQUIRE_MESSAGE(round, round.error().message);
    CHECK(texts(world) == "a\n||");
    CHECK(world.skill(0, "two") == world.skill(1, "two"));
    CHECK(std::ranges::any_of(round->warnings, [](const std::string& warning) {
      return warning.find("`two`") != std::string::npos;
    }));
  }

  TEST_CASE("of a link does not mind an edit that no entry tells of") {
    SyncWorld world({".agents", ".claude"});
    world.setup().roots[1].by_link = true;
    world.configure();
    edit(world, 0, "a");
    edit(world, 0, "b"); // the link shows it at once: nothing is written
    undo(world);
    CHECK(text_in(world, 0) == "b\n");
    CHECK_FALSE(std::filesystem::is_symlink(world.at(1, "one")));
  }

  TEST_CASE("an edit that no entry tells of stands in the way of its own skill only") {
    SyncWorld world({".agents", ".claude"});
    world.write_skill(0, "two", "two");
    world.settle();
    edit(world, 0, "a");
    edit(world, 0, "b");
    world.remove(1, "one");
    std::filesystem::create_directory_symlink(world.at(0, "one"), world.at(1, "one"));
    world.settle();
    const std::int64_t known = newest(world).id;
    SUBCASE("that a round has seen") {
      edit(world, 0, "c");
    }
    SUBCASE("of a moment ago") {
      world.write_skill(0, "one", "c");
    }
    auto round = world.engine().undo({}, world.now());
    REQUIRE_MESSAGE(round, round.error().message);
    CHECK(world.skill(0, "one").ends_with("c\n"));
    CHECK(exists(world.at(0, "two")));
    CHECK_FALSE(exists(world.at(1, "two")));
    REQUIRE(round->warnings.size() == 1);
    CHECK(round->warnings[0] == "`one` was edited after entry " + std::to_string(known));
    auto named = undo_entry(world, known);
    REQUIRE_FALSE(named);
    CHECK(named.error().code == ErrorCode::refused);
    REQUIRE(undo_entry(world, known, true));
    CHECK(text_in(world, 0) == "a\n");
  }

  TEST_CASE("that is refused tells what its look at the skill did") {
    SyncWorld world;
    edit(world, 0, "a");
    edit(world, 0, "b");
    SyncUndoParams params;
    params.id = newest(world).id;
    world.write_skill(1, "one", "c"); // spread by that look, and a later change then
    std::optional<sync::Round> done;
    auto refused = world.engine().undo(params, world.now(), &done);
    REQUIRE_FALSE(refused);
    CHECK(texts(world) == all("c"));
    REQUIRE(done);
    CHECK(done->steps.size() == 2);
    done.reset();
    auto again = world.engine().undo(params, world.now(), &done);
    CHECK_FALSE(again);
    CHECK_FALSE(done); // refused before any look
    params.force = true;
    auto forced = world.engine().undo(params, world.now(), &done);
    REQUIRE_MESSAGE(forced, forced.error().message);
    CHECK_FALSE(done);
  }

  TEST_CASE("tells what it passes over where a scope is not known any more") {
    SyncWorld world;
    edit(world, 0, "a");
    sync::ScopeSetup project = world.setup();
    project.project = world.folder() / "project";
    for (sync::RootSetup& root : project.roots) {
      root.path = project.project + "/" + root.agents[0];
      std::filesystem::create_directories(root.path);
    }
    REQUIRE(world.engine().configure({world.setup(), project}, world.now()));
    write(project.roots[0].path + "/two/SKILL.md", "---\nname: two\n---\n");
    world.settle();
    REQUIRE(world.engine().configure({world.setup()}, world.now()));
    auto round = world.engine().undo({.dry_run = true}, world.now());
    REQUIRE_MESSAGE(round, round.error().message);
    REQUIRE(round->warnings.size() == 1);
    CHECK(round->warnings[0] == "`two` is not under sync any more");
  }

  TEST_CASE("of a deletion and back deletes for good") {
    SyncWorld world;
    edit(world, 0, "a");
    world.remove(2, "one");
    world.settle();
    REQUIRE(texts(world) == "||");
    undo(world);
    REQUIRE(texts(world) == all("a"));
    REQUIRE(undo_entry(world, newest(world).id));
    CHECK(texts(world) == "||");
    CHECK(world.engine().status().skills.empty());
    undo(world);
    CHECK(texts(world) == all("a"));
  }

  TEST_CASE("of a new skill leaves the copy that a person made, and spreads it no more") {
    SyncWorld world;
    edit(world, 0, "a");
    undo(world);
    REQUIRE(texts(world) == "a\n||");
    SUBCASE("by itself, also after a restart") {
      world.open();
      world.settle();
      CHECK(texts(world) == "a\n||");
      return;
    }
    SUBCASE("until it is edited") {
      edit(world, 0, "b");
    }
    SUBCASE("until it is edited after a restart") {
      world.open();
      world.write_skill(0, "one", "b");
      CHECK(world.run(true).steps.size() == 2); // a plan says so and changes nothing
      CHECK(texts(world) == "b\n||");
      world.settle();
    }
    SUBCASE("until it is deleted and made again") {
      world.remove(0, "one");
      world.settle();
      edit(world, 1, "b");
    }
    SUBCASE("until the undo is undone") {
      REQUIRE(undo_entry(world, newest(world).id));
      CHECK(texts(world) == all("a"));
      CHECK(newest(world).action == SyncAction::create);
      undo(world);
      CHECK(texts(world) == "a\n||");
      edit(world, 0, "b");
    }
    CHECK(texts(world) == all("b"));
  }

  TEST_CASE("of a new skill holds for other folders of who saw it, and so does its undo") {
    SyncWorld world;
    world.setup().policy = SyncPolicy::cover;
    world.setup().agents[1].reads = {1, 2};
    world.setup().agents[2].reads = {2, 1};
    world.configure();
    edit(world, 0, "a");
    const std::string spread = texts(world);
    undo(world);
    CHECK(texts(world) == "a\n||");
    HistoryEntry taken = newest(world);
    CHECK(taken.paths.size() == 1);
    REQUIRE(undo_entry(world, taken.id));
    CHECK(texts(world) == spread);
    world.setup().policy = SyncPolicy::mirror;
    world.configure();
    world.settle();
    CHECK(texts(world) == all("a"));
  }

  TEST_CASE("of an edit takes away the copies that came back with it, and gives both back") {
    SyncWorld world;
    SUBCASE("in every root") {}
    SUBCASE("where an agent reads several, and where there are links") {
      world.setup().policy = SyncPolicy::cover;
      world.setup().agents[1].reads = {1, 2};
      world.setup().agents[2].reads = {2, 1};
      world.setup().roots[1].by_link = true;
      world.configure();
    }
    edit(world, 0, "a");
    undo(world);
    edit(world, 0, "b");
    const std::string spread = texts(world);
    const HistoryEntry change = newest(world);
    REQUIRE(texts(world) != "b\n||");
    SyncUndoParams planned;
    planned.dry_run = true;
    auto plan = world.engine().undo(planned, world.now());
    REQUIRE_MESSAGE(plan, plan.error().message);
    CHECK(texts(world) == spread);
    SyncUndoParams now;
    auto done = world.engine().undo(now, world.now());
    REQUIRE_MESSAGE(done, done.error().message);
    CHECK(plan->steps.size() == done->steps.size());
    world.settle();
    CHECK(texts(world) == "a\n||");
    const HistoryEntry back = newest(world);
    CHECK(back.reason
          == "undo of " + std::to_string(change.id) + ", begun in " + std::to_string(back.id - 1));
    REQUIRE(undo_entry(world, back.id));
    CHECK(texts(world) == spread);
    auto log = world.engine().log({});
    REQUIRE(log);
    for (const HistoryEntry& entry : log->entries) {
      bool undone = entry.id == back.id || entry.id == back.id - 1 || entry.id < change.id - 1;
      CHECK(entry.undone == undone);
    }
    undo(world);
    CHECK(texts(world) == "a\n||");
    edit(world, 0, "c");
    CHECK(texts(world).starts_with("c\n"));
    CHECK(texts(world) != "c\n||");
  }

  TEST_CASE("of a link takes it away, and back") {
    SyncWorld world;
    world.setup().roots[1].by_link = true;
    world.configure();
    edit(world, 0, "a");
    REQUIRE(std::filesystem::is_symlink(world.at(1, "one")));
    undo(world);
    CHECK(texts(world) == "a\n||");
    REQUIRE(undo_entry(world, newest(world).id));
    CHECK(std::filesystem::is_symlink(world.at(1, "one")));
    CHECK(texts(world) == all("a"));
  }

  TEST_CASE("a link that a person took away stays away when the skill is edited") {
    SyncWorld world;
    world.setup().roots[1].by_link = true;
    world.configure();
    edit(world, 0, "a");
    std::filesystem::remove(world.at(1, "one"));
    SUBCASE("at once") {}
    SUBCASE("and a plan was made meanwhile") {
      CHECK(world.run(true).steps.empty());
    }
    world.settle();
    edit(world, 0, "b");
    CHECK(texts(world) == "b\n||b\n");
    // The deletion is an entry of its own.
    auto log = world.engine().log({});
    REQUIRE(log);
    auto entry = std::ranges::find(log->entries, SyncAction::unlink, &HistoryEntry::action);
    REQUIRE(entry != log->entries.end());
    CHECK(entry->paths == std::vector<std::string>{world.at(1, "one")});
    undo(world);
    CHECK(texts(world) == "a\n||a\n");
    undo(world);
    CHECK(std::filesystem::is_symlink(world.at(1, "one")));
    edit(world, 0, "c");
    CHECK(texts(world) == all("c"));
  }

  TEST_CASE("that is interrupted costs nobody a copy") {
    sync_test::WatchedFiles files;
    SyncWorld world;
    world.use(files);
    world.open();
    edit(world, 0, "a");
    int moves = 0;
    files.after = [&](const sync_test::FileCall& call) {
      if (std::string_view(call.name) == "move" && ++moves == 1) {
        throw std::runtime_error("killed");
      }
    };
    CHECK_THROWS((void)world.engine().undo({}, world.now()));
    files.after = {};
    world.open();
    world.settle();
    CHECK(text_in(world, 0) == "a\n");
  }

  TEST_CASE("of a copy that was made leaves the last one that can be seen") {
    SyncWorld world;
    for (const char* other : {"three", "two"}) {
      world.write_skill(0, other, "other");
    }
    world.settle();
    edit(world, 0, "a");
    for (const char* name : {"one", "two", "three"}) {
      world.remove(0, name); // the root is empty then, and so it is halted
    }
    world.run();
    auto refused = world.engine().undo({}, world.now());
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::refused);
    world.settle();
    CHECK(texts(world) == "|a\n|a\n");
  }

  TEST_CASE("waits for roots that may not be written now") {
    SyncWorld world;
    edit(world, 0, "a");
    for (const char* agent : {".claude", ".cursor"}) {
      write(world.folder() / (std::string(agent) + "/.git/HEAD"), "ref: refs/heads/main\n");
      write(world.folder() / (std::string(agent) + "/.git/index.lock"), "");
    }
    auto refused = world.engine().undo({}, world.now());
    REQUIRE_FALSE(refused);
    CAPTURE(refused.error().message + "; " + refused.error().hint);
    CHECK(refused.error().hint.find("index") != std::string::npos);
    CHECK_FALSE(newest(world).undone);
    for (const char* agent : {".claude", ".cursor"}) {
      std::filesystem::remove_all(world.folder() / (std::string(agent) + "/.git"));
    }
    undo(world);
    CHECK(texts(world) == "a\n||");
  }

  TEST_CASE("of an undo is refused where a person has put the copies back") {
    SyncWorld world;
    edit(world, 0, "a");
    undo(world);
    const std::int64_t undone = newest(world).id;
    world.write_skill(1, "one", "a");
    world.write_skill(2, "one", "a");
    world.settle();
    CHECK_FALSE(undo_entry(world, undone));
    CHECK(texts(world) == all("a"));
    CHECK_FALSE(world.engine().undo({}, world.now()));
    CHECK(texts(world) == all("a"));
  }

  TEST_CASE("of an undo that could write nothing leaves away what was taken") {
    sync_test::WatchedFiles files;
    SyncWorld world;
    world.use(files);
    world.open();
    edit(world, 0, "a");
    world.remove(0, "one");
    world.settle();
    undo(world);
    const std::int64_t restored = newest(world).id;
    REQUIRE(texts(world) == all("a"));
    REQUIRE(undo_entry(world, restored));
    REQUIRE(texts(world) == "||");
    edit(world, 0, "b");
    undo(world);
    const std::int64_t withdrawn = newest(world).id;
    REQUIRE(texts(world) == "b\n||");
    world.remove(0, "one");
    world.run();
    files.before = [](const sync_test::FileCall&) -> Result<void> {
      return fail(ErrorCode::no_space, "no space is left");
    };
    CHECK_FALSE(world.engine().undo({withdrawn}, world.now()));
    files.before = {};
    world.write_skill(0, "one", "b");
    world.settle();
    CHECK(texts(world) == "b\n||");
  }

  TEST_CASE("that could take nothing away is none") {
    sync_test::WatchedFiles files;
    SyncWorld world;
    world.use(files);
    world.open();
    edit(world, 0, "a");
    files.before = [&](const sync_test::FileCall& call) -> Result<void> {
      bool moves = std::string_view(call.name) == "move";
      return moves ? fail(ErrorCode::permission, "may not be written") : Result<void>();
    };
    auto failed = world.engine().undo({}, world.now());
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == ErrorCode::refused);
    files.before = {};
    world.settle();
    CHECK(texts(world) == all("a"));
    undo(world);
    CHECK(texts(world) == "a\n||");
  }
}
