#include "protocol/base/unique_fd.h"
#include "tests/sync/watched_files.h"
#include "tests/unit/skills_sync_place_orders.h"

#include <doctest/doctest.h>

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::test;
using sync::PlacedState;

namespace {

// Whether somebody has opened a file since this was made.
class Opened {
public:
  explicit Opened(const std::string& path)
      : m_events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    REQUIRE(::inotify_add_watch(m_events.get(), path.c_str(), IN_OPEN) >= 0);
  }

  bool was() const {
    char event[4096];
    return ::read(m_events.get(), event, sizeof(event)) > 0;
  }

private:
  UniqueFd m_events;
};

} // namespace

TEST_SUITE("Engine: place") {
  TEST_CASE("places skills in every agent's folder, and undo takes them away") {
    for (bool on : {false, true}) {
      Off world;
      world.switch_sync(on);
      std::vector<sync::Placed> placed =
          place(world, {placement("one", files("one", "a")), placement("two", files("two", "b"))});
      REQUIRE(placed.size() == 2);
      CHECK(placed[0].state == PlacedState::placed);
      CHECK(placed[0].hash == hash(files("one", "a")));
      CHECK_FALSE(placed[0].before);
      CHECK(placed[0].agents == std::vector<std::string>{"agent0", "agent1", "agent2"});
      CHECK(
          placed[1].paths
          == std::vector<std::string>{world.at(0, "two"), world.at(1, "two"), world.at(2, "two")});
      CHECK(texts(world, "one") == "a\n|a\n|a\n");

      struct stat status {};

      REQUIRE(::stat(world.at(2, "one/bin/run.sh").c_str(), &status) == 0);
      CHECK((status.st_mode & 0100) != 0);
      CHECK(world.run().steps.empty());
      auto log = world.engine().log({});
      REQUIRE(log->entries.size() == 2);
      CHECK(log->entries[0].action == SyncAction::create);
      CHECK(log->entries[0].reason == "installed from here");
      undo(world);
      CHECK(texts(world, "two") == "||");
      CHECK(texts(world, "one") == "a\n|a\n|a\n");
      undo(world);
      CHECK(texts(world, "one") == "||");
      CHECK(world.run().steps.empty());
    }
  }

  TEST_CASE("shows a skill to the agents that are named and to nobody else") {
    Off world;
    sync::Placement one = placement("one", files("one", "a"));
    one.agents = {"agent1"};
    CHECK(place(world, {one})[0].agents == std::vector<std::string>{"agent1"});
    CHECK(texts(world, "one") == "|a\n|");
    one = update("one", "a", "b");
    one.agents = {"agent1"};
    CHECK(place(world, {one})[0].state == PlacedState::replaced);
    CHECK(texts(world, "one") == "|b\n|");
    one.agents = {"nobody"};
    CHECK(refused(world, {one}).code == ErrorCode::invalid_argument);
  }

  TEST_CASE("makes one copy and links where links are asked for") {
    Off world;
    world.setup().agents[1].follows_links = false;
    world.configure();
    sync::Placement one = placement("one", files("one", "a"));
    one.links = true;
    CHECK(place(world, {one})[0].agents.size() == 3);
    CHECK(texts(world, "one") == "a\n|a\n|a\n");
    int links = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      links += std::filesystem::is_symlink(world.at(i, "one"));
    }
    CHECK_FALSE(std::filesystem::is_symlink(world.at(1, "one"))); // who follows none has a copy
    CHECK(links == 2);
    world.switch_sync(true);
    world.settle();
    CHECK(std::filesystem::is_symlink(world.at(2, "one")));
  }

  TEST_CASE("leaves another version alone, and does the rest") {
    Off world;
    world.write_skill(1, "one", "mine");
    std::vector<sync::Placed> placed =
        place(world, {placement("one", files("one", "a")), placement("two", files("two", "b"))});
    CHECK(placed[0].state == PlacedState::taken);
    CHECK(placed[0].hash != placed[0].version);
    CHECK(placed[1].state == PlacedState::placed);
    CHECK(texts(world, "one") == "|mine\n|");
    sync::Placement one = placement("one", files("one", "a"));
    one.replaces = true;
    CHECK(place(world, {one})[0].state == PlacedState::replaced);
    CHECK(texts(world, "one") == "a\n|a\n|a\n");
    undo(world);
    CHECK(text_in(world, 1, "one") == "mine\n");
  }

  TEST_CASE("takes over what lies there already") {
    Off world;
    sync::NewFiles content = {{"SKILL.md", {document("one", "a")}}};
    world.write_skill(0, "one", "a");
    sync::Placed placed = place(world, {placement("one", content)})[0];
    CHECK(placed.state == PlacedState::unchanged);
    CHECK(placed.paths == std::vector<std::string>{world.at(1, "one"), world.at(2, "one")});
    undo(world);
    CHECK(texts(world, "one") == "a\n||"); // what a person made stays
  }

  TEST_CASE("updates what nobody touched, keeps what only was edited here, and joins both") {
    Off world;
    const std::string before = "1\n2\n3\n4\n5\n6\n7";
    auto version = [&](const std::string& text) { return placement("one", files("one", text)); };
    place(world, {version(before)});
    CHECK(place(world, {update("one", before, "0\n2\n3\n4\n5\n6\n7")})[0].state
          == PlacedState::replaced);
    CHECK(texts(world, "one").starts_with("0\n"));
    undo(world);
    CHECK(texts(world, "one").starts_with("1\n"));
    // Edited here only.
    world.write_skill(1, "one", "1\n2\n3\n4\n5\n6\nmine");
    sync::Placed placed = place(world, {update("one", before, before)})[0];
    CHECK(placed.state == PlacedState::unchanged);
    CHECK(placed.hash != placed.version);
    CHECK(text_in(world, 0, "one").ends_with("mine\n")); // the copies agree
    // Edited on both sides, far apart.
    sync::Placement apart = update("one", before, "0\n2\n3\n4\n5\n6\n7");
    placed = place(world, {apart})[0];
    CHECK(placed.state == PlacedState::merged);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(text_in(world, i, "one") == "0\n2\n3\n4\n5\n6\nmine\n");
      CHECK(exists(world.at(i, "one/bin/run.sh")));
    }
    undo(world);
    CHECK(text_in(world, 2, "one") == "1\n2\n3\n4\n5\n6\nmine\n");
    // One of the sides as a whole.
    apart.precedence = sync::Precedence::mine;
    CHECK(place(world, {apart})[0].state == PlacedState::unchanged);
    CHECK(text_in(world, 2, "one") == "1\n2\n3\n4\n5\n6\nmine\n");
    apart.precedence = sync::Precedence::placed;
    CHECK(place(world, {apart})[0].state == PlacedState::replaced);
    CHECK(text_in(world, 2, "one") == "0\n2\n3\n4\n5\n6\n7\n");
  }

  TEST_CASE("holds what both sides changed as a conflict that can be settled and undone") {
    for (bool on : {false, true}) {
      Off world;
      world.switch_sync(on);
      place(world, {placement("one", files("one", "a"))});
      for (std::size_t i = 0; i < 3; ++i) {
        world.write_skill(i, "one", "mine");
      }
      sync::Placed placed = place(world, {update("one", "a", "theirs")})[0];
      CHECK(placed.state == PlacedState::conflict);
      REQUIRE(placed.conflict);
      CHECK(placed.paths.empty());
      CHECK(texts(world, "one") == "mine\n|mine\n|mine\n");
      auto conflicts = world.engine().conflicts({});
      REQUIRE(conflicts->conflicts.size() == 1);
      CHECK(conflicts->conflicts[0].id == *placed.conflict);
      const std::vector<ConflictVersion>& versions = conflicts->conflicts[0].versions;
      REQUIRE(versions.size() == 2);
      CHECK(versions[0].winner);
      CHECK(versions[1].hash == placed.version.hex());
      CHECK(read(versions[1].stored + "/SKILL.md") == document("one", "theirs"));
      CHECK(world.run().steps.empty());
      auto settled = world.engine().resolve({"one", "loser", false}, world.now());
      REQUIRE_MESSAGE(settled, settled.error().message);
      CHECK(texts(world, "one") == "theirs\n|theirs\n|theirs\n");
      CHECK(world.engine().conflicts({})->conflicts.empty());
      undo(world);
      CHECK(texts(world, "one") == "mine\n|mine\n|mine\n");
      CHECK(world.engine().conflicts({})->conflicts.size() == 1);
      CHECK(world.run().steps.empty());
    }
  }

  TEST_CASE("an order that fails leaves every folder as it was") {
    Off world;
    sync_test::WatchedFiles watched;
    world.use(watched);
    world.open();
    place(world, {placement("one", files("one", "a"))});
    std::filesystem::remove_all(world.folder() / ".cursor");
    world.configure();
    for (int n = 1; n < 200; ++n) {
      bool reached = false;
      std::size_t entries = world.engine().log({})->entries.size();
      watched.reset();
      watched.before = [&](const sync_test::FileCall& call) -> Result<void> {
        reached = reached || call.number == n;
        return call.number == n ? Result<void>(fail(ErrorCode::no_space, "no space"))
                                : Result<void>{};
      };
      auto placed = world.engine().place(
          order_of({update("one", "a", "b"), placement("two", files("two", "b"))}), world.now());
      watched.before = {};
      CAPTURE(n);
      if (placed) { // without what failed, or nothing did
        CHECK(texts(world, "one") == "b\n|b\n|b\n");
        CHECK(texts(world, "two") == "b\n|b\n|b\n");
        if (!reached) {
          CHECK(n > 20);
          return;
        }
        undo(world);
        undo(world);
        std::filesystem::remove_all(world.folder() / ".cursor");
        continue;
      }
      CHECK(placed.error().code == ErrorCode::no_space);
      CHECK(texts(world, "one") == "a\n|a\n|");
      CHECK_FALSE(exists(world.at(0, "two")));
      CHECK_FALSE(exists(world.at(1, "two")));
      CHECK_FALSE(exists(world.folder() / ".cursor"));
      CHECK(world.engine().log({})->entries.size() == entries);
    }
    FAIL("it never works");
  }

  TEST_CASE("an error in a version's content leaves every folder as it was") {
    Off world;
    sync::Placement bad = placement("two", {});
    bad.content = []() -> Result<sync::SharedFiles> { return fail(ErrorCode::io, "unreadable"); };
    CHECK(refused(world, {placement("one", files("one", "a")), bad}).message == "unreadable");
    CHECK_FALSE(exists(world.at(0, "one")));
    sync::NewFiles twins = files("two", "a");
    twins["A.md"] = {"x"};
    twins["a.md"] = {"y"};
    CHECK(refused(world, {placement("two", twins)}).code == ErrorCode::invalid_argument);
    CHECK(refused(world, {placement("../two", files("two", "a"))}).code
          == ErrorCode::invalid_argument);
    CHECK(refused(world, {placement("two", files("two", "a")), placement("TWO", files("two", "a"))})
              .code
          == ErrorCode::invalid_argument);
    CHECK(world.engine().log({})->entries.empty());
  }

  TEST_CASE("a rehearsal says what would be and does nothing") {
    Off world;
    sync::PlaceOrder order = order_of({placement("one", files("one", "a"))});
    order.dry_run = true;
    auto placed = world.engine().place(order, world.now());
    REQUIRE(placed);
    CHECK((*placed)[0].paths.size() == 3);
    CHECK((*placed)[0].agents.size() == 3);
    CHECK_FALSE(exists(world.at(0, "one")));
    CHECK_FALSE(exists(world.folder() / ".claude/.upskill-stage"));
    CHECK(place(world, {placement("one", files("one", "a"))})[0].state == PlacedState::placed);
  }

  TEST_CASE("sync that is off writes nothing by itself, also after something was placed") {
    Off world;
    sync::Placement one = placement("one", files("one", "a"));
    one.agents = {"agent0"};
    place(world, {one});
    world.write_skill(0, "one", "edited");
    world.write_skill(1, "two", "mine");
    world.settle();
    CHECK(texts(world, "one") == "edited\n||");
    CHECK(texts(world, "two") == "|mine\n|");
    // Nor does what a person asks of one skill make copies of it elsewhere.
    auto round = world.engine().undo({.force = true}, world.now());
    CHECK(text_in(world, 1, "one").empty());
    CHECK(texts(world, "two") == "|mine\n|");
  }

  TEST_CASE("a copy that was deleted while sync is off is no deletion of the others") {
    Off world;
    place(world, {placement("one", files("one", "a"))});
    world.remove(0, "one");
    world.remove(1, "one");
    sync::Placement one = update("one", "a", "b");
    one.agents = {"agent2"};
    CHECK(place(world, {one})[0].state == PlacedState::replaced);
    CHECK(texts(world, "one") == "||b\n");
    world.remove(2, "one");
    CHECK(place(world, {placement("one", files("one", "c"))})[0].state == PlacedState::placed);
    CHECK(texts(world, "one") == "c\n|c\n|c\n");
  }
}

TEST_SUITE("Engine: take away") {
  TEST_CASE("takes a skill from everybody, and undo brings it back") {
    for (bool on : {false, true}) {
      Off world;
      world.switch_sync(on);
      place(world, {placement("one", files("one", "a")), placement("two", files("two", "b"))});
      world.write_skill(1, "three", "by hand");
      world.settle();
      std::vector<sync::TakenAway> taken = take(world, {"one", "three"});
      CHECK(taken[0].hash == hash(files("one", "a")));
      CHECK(taken[0].paths.size() == 3);
      CHECK(taken[0].kept.empty());
      CHECK(texts(world, "one") == "||");
      CHECK(texts(world, "three") == "||");
      CHECK(texts(world, "two") == "b\n|b\n|b\n");
      world.settle();
      CHECK(texts(world, "one") == "||");
      undo(world);
      CHECK(text_in(world, 1, "three") == "by hand\n");
      undo(world);
      CHECK(texts(world, "one") == "a\n|a\n|a\n");
      CHECK(world.run().steps.empty());
    }
  }

  TEST_CASE("does nothing where a skill is not there") {
    Off world;
    place(world, {placement("one", files("one", "a"))});
    auto taken = world.engine().take_away({{}, {"one", "gone"}, {}, {}, false}, world.now());
    REQUIRE_FALSE(taken);
    CHECK(taken.error().code == ErrorCode::not_found);
    CHECK(taken.error().message == "there is no skill `gone`");
    CHECK(texts(world, "one") == "a\n|a\n|a\n");
  }

  TEST_CASE("takes it from agents that are named, and others go on seeing it") {
    for (bool on : {false, true}) {
      Off world;
      // The first folder is read by all, the others by one each.
      world.setup().policy = SyncPolicy::cover;
      world.setup().agents[1].reads = {0, 1};
      world.setup().agents[2].reads = {0, 2};
      world.switch_sync(on);
      place(world, {placement("one", files("one", "a"))});
      REQUIRE(texts(world, "one") == "a\n||");
      auto impossible = world.engine().take_away({{}, {"one"}, {"agent1"}, {}, false}, world.now());
      REQUIRE_FALSE(impossible);
      CHECK(impossible.error().code == ErrorCode::refused);
      CHECK(impossible.error().message.starts_with("`agent0` would not see `one` any more"));
      CHECK(texts(world, "one") == "a\n||");
      sync::TakenAway taken = take(world, {"one"}, {"agent0", "agent1"})[0];
      CHECK(taken.paths == std::vector<std::string>{world.at(0, "one")});
      CHECK(taken.written == std::vector<std::string>{world.at(2, "one")});
      CHECK(texts(world, "one") == "||a\n");
      world.settle();
      CHECK(texts(world, "one") == "||a\n");
      place(world, {update("one", "a", "b")}); // an update does not bring it back
      CHECK(texts(world, "one") == "||b\n");
      undo(world);
      undo(world);
      CHECK(texts(world, "one") == "a\n||");
      world.settle();
      CHECK(texts(world, "one") == "a\n||");
      // As if nobody had taken it away: an agent that reads another folder is shown it there.
      world.setup().agents[2].reads = {2};
      world.configure();
      world.settle();
      CHECK(texts(world, "one") == (on ? "a\n||a\n" : "a\n||"));
    }
  }

  TEST_CASE("the undo of that can be undone, and so on") {
    for (bool on : {false, true}) {
      Off world;
      world.setup().policy = SyncPolicy::cover;
      world.setup().agents[2].reads = {0, 2};
      world.setup().agents.erase(world.setup().agents.begin() + 1);
      world.switch_sync(on);
      place(world, {placement("one", files("one", "a"))});
      REQUIRE(texts(world, "one") == "a\n||");
      take(world, {"one"}, {"agent0"});
      REQUIRE(texts(world, "one") == "||a\n");
      SyncUndoParams rehearsed{.dry_run = true};
      auto planned = world.engine().undo(rehearsed, world.now());
      REQUIRE_MESSAGE(planned, planned.error().message);
      CHECK(planned->steps.size() == 2);
      CHECK(planned->warnings.empty());
      CHECK(texts(world, "one") == "||a\n");
      undo(world);
      CHECK(texts(world, "one") == "a\n||");
      for (const char* expected : {"||a\n", "a\n||"}) {
        auto log = world.engine().log({});
        auto again = world.engine().undo({.id = log->entries.front().id}, world.now());
        REQUIRE_MESSAGE(again, again.error().message);
        world.settle();
        CHECK(texts(world, "one") == expected);
      }
    }
  }
}

TEST_SUITE("Engine: versions") {
  TEST_CASE("what lies there is told by a look, and nothing that was not touched is read") {
    Off world;
    place(world, {placement("one", files("one", "a"))});
    world.pass(1'000); // no time of a file is young any more
    auto looked = world.engine().look_at({}, {"one", "gone"}, world.now());
    REQUIRE(looked);
    CHECK((*looked)[0] == hash(files("one", "a")));
    CHECK_FALSE((*looked)[1]);
    Opened opened(world.at(1, "one/SKILL.md"));
    looked = world.engine().look_at({}, {"one"}, world.now());
    CHECK((*looked)[0] == hash(files("one", "a")));
    CHECK_FALSE(opened.was());
    world.open(); // it is on record
    looked = world.engine().look_at({}, {"one"}, world.now());
    CHECK((*looked)[0] == hash(files("one", "a")));
    CHECK_FALSE(opened.was());
    write(world.at(1, "one/SKILL.md"), document("one", "newer"));
    Opened newer(world.at(1, "one/SKILL.md"));
    looked = world.engine().look_at({}, {"one"}, world.now());
    CHECK((*looked)[0] == hash(files("one", "newer")));
    CHECK(newer.was());
    CHECK_FALSE(world.engine().look_at("/nowhere", {"one"}, world.now()));
  }

  TEST_CASE("are told in their order and given back") {
    Off world;
    place(world, {placement("one", files("one", "a"))});
    place(world, {update("one", "a", "b")});
    undo(world);
    auto versions = world.engine().versions({}, "one");
    REQUIRE(versions->size() == 3);
    CHECK((*versions)[0].hash == hash(files("one", "a")));
    CHECK((*versions)[0].reason == "installed from here");
    CHECK((*versions)[1].hash == hash(files("one", "b")));
    CHECK((*versions)[2].hash == hash(files("one", "a")));
    CHECK((*versions)[2].is_current);
    CHECK_FALSE((*versions)[0].is_current);
    CHECK(*world.engine().files_of(hash(files("one", "b"))) == files("one", "b"));
    CHECK(world.engine().files_of(hash(files("one", "never"))).error().code
          == ErrorCode::not_found);
    sync::Placement back;
    back.skill = "one";
    back.kept = hash(files("one", "b"));
    back.base = hash(files("one", "a"));
    CHECK(place(world, {back})[0].state == PlacedState::replaced);
    CHECK(texts(world, "one") == "b\n|b\n|b\n");
    CHECK(world.engine().versions({}, "never")->empty());
  }

  TEST_CASE("that are pinned outlive everything that named them") {
    Off world;
    place(world, {placement("one", files("one", "a")), placement("two", files("two", "b"))});
    take(world, {"one", "two"});
    REQUIRE(world.engine().pin({hash(files("one", "a"))}));
    world.open();
    for (const char* skill : {"one", "two"}) {
      auto path = world.folder() / "data/objects";
      (void)skill;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        std::filesystem::last_write_time(entry.path(),
                                         std::filesystem::file_time_type::clock::now()
                                             - std::chrono::hours(24 * 400));
      }
    }
    world.pass(200LL * 24 * 3600 * 1000);
    REQUIRE(world.engine().tidy(world.now()));
    CHECK(world.engine().files_of(hash(files("one", "a"))));
    CHECK_FALSE(world.engine().files_of(hash(files("two", "b"))));
  }
}
