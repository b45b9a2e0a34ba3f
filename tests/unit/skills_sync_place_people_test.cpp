// Orders and what people do beside them: before, meanwhile, after a crash, and while sync is off.
#include "protocol/base/unique_fd.h"
#include "skills/store/sync_store.h"
#include "tests/sync/watched_files.h"
#include "tests/unit/skills_sync_place_orders.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

using namespace upskill;
using namespace upskill::test;
using sync::PlacedState;

namespace {

constexpr std::string_view k_slipped = "slipped in\n";

// Whether some file below this folder ends with the text, or holds it (a kept version).
bool is_below(const std::string& folder, std::string_view text) {
  namespace fs = std::filesystem;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, none)) {
    if (entry.is_regular_file() && !entry.is_symlink()
        && read(entry.path()).find(text) != std::string::npos) {
      return true;
    }
  }
  return false;
}

// Of an edit that nobody may lose: in a folder of an agent, as a version in the store or of a
// conflict, or in the trash.
bool is_kept(SyncWorld& world, std::string_view text) {
  bool kept = is_below(world.folder() / "data", text);
  for (std::size_t i = 0; i < 3; ++i) {
    kept = kept || is_below(world.root(i), text);
  }
  return kept;
}

void let_linger(SyncWorld& world) {
  world.settle();
  world.pass(61'000);
  REQUIRE(world.engine().tidy(world.now()));
  world.settle();
}

// As a process does that ends after it has swapped some copies: these are what was done.
void interrupt(SyncWorld& world, std::vector<store::IntentRow> intents) {
  world.close();
  auto store = store::SyncStore::open(world.folder() / "state/sync.db");
  REQUIRE(store);
  REQUIRE(store->add_intents(intents));
}

store::IntentRow intent_of(const SyncWorld& world, std::size_t root) {
  store::IntentRow row;
  row.scope = 1;
  row.skill = "one";
  row.root = world.root(root);
  row.before = hash(files("one", "a"));
  row.after = hash(files("one", "b"));
  return row;
}

} // namespace

TEST_SUITE("Engine: orders and people") {
  TEST_CASE("an edit at any moment of an order is kept") {
    enum class By : std::uint8_t { path, open_file };
    for (By by : {By::path, By::open_file}) {
      for (bool removes : {false, true}) {
        for (int n = 1; n < 200; ++n) {
          Off world;
          world.switch_sync(n % 2 == 0);
          sync_test::WatchedFiles watched;
          world.use(watched);
          world.open();
          place(world, {placement("one", files("one", "a"))});
          const std::string path = world.at(1, "one/SKILL.md");
          UniqueFd open_file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
          bool reached = false;
          watched.reset();
          watched.before = [&](const sync_test::FileCall& call) -> Result<void> {
            if (call.number == n) {
              UniqueFd now(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
              int fd = by == By::path ? now.get() : open_file.get();
              reached = ::write(fd, k_slipped.data(), k_slipped.size()) > 0;
            }
            return {};
          };
          if (removes) {
            (void)world.engine().take_away({{}, {"one"}, {}, {}, false}, world.now());
          } else {
            (void)world.engine().place(order_of({update("one", "a", "b")}), world.now());
          }
          const bool ended = watched.count() < n;
          watched.before = {};
          if (ended) {
            CHECK(n > 3);
            break;
          }
          let_linger(world);
          CAPTURE(n);
          CAPTURE(removes);
          CAPTURE(static_cast<int>(by));
          if (reached) {
            CHECK(is_kept(world, k_slipped));
          }
          world.close();
        }
      }
    }
  }

  TEST_CASE("an order that meets copies which differ, and fails, leaves no conflict") {
    for (int n = 1; n < 200; ++n) {
      Off world;
      sync_test::WatchedFiles watched;
      world.use(watched);
      world.open();
      place(world, {placement("one", files("one", "a"))});
      world.write_skill(0, "one", "this");
      world.write_skill(1, "one", "that");
      watched.reset();
      watched.before = [&](const sync_test::FileCall& call) -> Result<void> {
        return call.number == n ? Result<void>(fail(ErrorCode::no_space, "no space"))
                                : Result<void>{};
      };
      auto placed = world.engine().place(order_of({update("one", "a", "b")}), world.now());
      watched.before = {};
      CAPTURE(n);
      const std::size_t open = world.engine().conflicts({})->conflicts.size();
      if (placed) {
        CHECK(n > 10);
        CHECK(open == 1);
        CHECK(is_kept(world, "this\n"));
        CHECK(is_kept(world, "that\n"));
        world.close();
        return;
      }
      CHECK(open == 0);
      CHECK(texts(world, "one") == "this\n|that\n|a\n");
      CHECK_FALSE(is_below(world.folder() / "data/conflicts", "that"));
      world.close();
    }
    FAIL("it never works");
  }

  TEST_CASE("what is no version of a skill keeps that skill out and no other") {
    Off world;
    place(world, {placement("six", files("six", "a"))});
    write(world.at(1, "two/notes.md"), "no skill");
    std::filesystem::create_directories(world.at(1, "three"));
    write(world.at(2, "four"), "a file");
    world.write_skill(0, "Five", "x");
    world.remove(2, "six");
    std::filesystem::create_directory_symlink(world.folder() / "state", world.at(2, "six"));
    std::vector<sync::Placement> all = {placement("one", files("one", "a"))};
    const std::array<const char*, 5> barred = {"two", "three", "four", "five", "six"};
    for (const char* name : barred) {
      all.push_back(placement(name, files(name, "b")));
    }
    all.back().base = hash(files("six", "a"));
    std::vector<sync::Placed> placed = place(world, all);
    CHECK(placed[0].state == PlacedState::placed);
    CHECK_FALSE(placed[0].in_the_way);
    CHECK(texts(world, "one") == "a\n|a\n|a\n");
    for (std::size_t i = 0; i < barred.size(); ++i) {
      const sync::Placed& one = placed[i + 1];
      CHECK(one.state == PlacedState::taken);
      REQUIRE(one.in_the_way);
      CHECK(one.in_the_way->code == ErrorCode::already_exists);
      CHECK(one.paths.empty());
    }
    CHECK(placed[1].in_the_way->message == "`" + world.at(1, "two") + "` is there and is no skill");
    CHECK(placed[3].in_the_way->message
          == "`" + world.at(2, "four") + "` is there and is no folder");
    CHECK(texts(world, "six") == "a\n|a\n|");
    CHECK(read(world.at(1, "two/notes.md")) == "no skill");
    CHECK(world.engine().log({})->entries.size() == 2);
    // Once it is out of the way.
    world.remove(1, "three");
    CHECK(place(world, {placement("three", files("three", "b"))})[0].state == PlacedState::placed);
  }

  TEST_CASE("what was taken away while sync was off stays a matter of its place") {
    for (bool elsewhere : {false, true}) {
      Off world;
      place(world, {placement("one", files("one", "a")), placement("two", files("two", "a"))});
      if (elsewhere) { // a project that is no longer named, say
        world.switch_sync(true);
        world.settle();
        REQUIRE(world.engine().configure({}, world.now()));
      }
      world.remove(1, "one");
      for (std::size_t i = 0; i < 3; ++i) {
        world.remove(i, "two");
      }
      world.switch_sync(true);
      world.settle();
      CHECK(texts(world, "one") == "a\n|a\n|a\n");
      CHECK(texts(world, "two") == "||"); // what is left nowhere was deleted
      world.remove(1, "one");
      world.settle();
      CHECK(texts(world, "one") == "||"); // now it is a deletion
    }
  }

  TEST_CASE("a folder that was emptied while sync was off is filled again, and not waited for") {
    Off world;
    place(world, {placement("one", files("one", "a")), placement("two", files("two", "a"))});
    world.remove(1, "one");
    world.remove(1, "two");
    world.switch_sync(true);
    CHECK(world.run().warnings.empty());
    world.settle();
    CHECK(texts(world, "one") == "a\n|a\n|a\n");
    CHECK(texts(world, "two") == "a\n|a\n|a\n");
  }

  TEST_CASE("links that were taken away come back as links, and go again") {
    for (bool on : {false, true}) {
      Off world;
      sync::Placement one = placement("one", files("one", "a"));
      one.links = true;
      place(world, {one});
      world.switch_sync(on);
      take(world, {"one"});
      CHECK(texts(world, "one") == "||");
      undo(world);
      CHECK(texts(world, "one") == "a\n|a\n|a\n");
      CHECK_FALSE(std::filesystem::is_symlink(world.at(0, "one")));
      CHECK(std::filesystem::is_symlink(world.at(1, "one")));
      CHECK(std::filesystem::is_symlink(world.at(2, "one")));
      CHECK(world.run().steps.empty());
      auto log = world.engine().log({});
      auto redone = world.engine().undo({.id = log->entries.front().id}, world.now());
      REQUIRE_MESSAGE(redone, redone.error().message);
      CHECK(texts(world, "one") == "||");
    }
  }

  TEST_CASE("whose link led to a copy that goes from somebody else gets a copy") {
    for (bool on : {false, true}) {
      for (bool third : {false, true}) { // has a copy of its own
        Off world;
        sync::Placement one = placement("one", files("one", "a"));
        one.links = true;
        place(world, {one});
        REQUIRE(std::filesystem::is_symlink(world.at(1, "one")));
        if (third) {
          std::filesystem::remove(world.at(2, "one"));
          std::filesystem::copy(
              world.at(0, "one"), world.at(2, "one"), std::filesystem::copy_options::recursive);
        }
        world.switch_sync(on);
        world.settle();
        sync::TakenAway taken = take(world, {"one"}, {"agent0"})[0];
        CHECK(taken.written.size() == (third ? 1 : 2));
        CHECK(texts(world, "one") == "|a\n|a\n");
        CHECK_FALSE(std::filesystem::is_symlink(world.at(1, "one")));
        CHECK(world.run().steps.empty());
        undo(world);
        CHECK(texts(world, "one") == "a\n|a\n|a\n");
        CHECK(world.run().steps.empty());
      }
    }
  }

  TEST_CASE("what is taken back after a crash leaves alone what a person did since") {
    for (bool on : {false, true}) {
      Off world;
      world.switch_sync(on);
      place(world, {placement("one", files("one", "a"))});
      REQUIRE(place(world, {update("one", "a", "b")})[0].state == PlacedState::replaced);
      undo(world); // `b` is kept
      interrupt(world, {intent_of(world, 0), intent_of(world, 1), intent_of(world, 2)});
      for (std::size_t i = 0; i < 2; ++i) { // two of three were swapped
        write(world.at(i, "one/SKILL.md"), document("one", "b"));
      }
      write(world.at(1, "one/SKILL.md"), document("one", "mine"));
      world.open();
      CHECK(texts(world, "one") == "a\n|mine\n|a\n");
      world.settle();
      CHECK(texts(world, "one") == (on ? "mine\n|mine\n|mine\n" : "a\n|mine\n|a\n"));
    }
  }

  TEST_CASE("who works in a copy that is taken back after a crash loses nothing") {
    Off world;
    place(world, {placement("one", files("one", "a"))});
    REQUIRE(place(world, {update("one", "a", "b")})[0].state == PlacedState::replaced);
    undo(world);
    let_linger(world);
    interrupt(world, {intent_of(world, 1)});
    const std::string path = world.at(1, "one/SKILL.md");
    write(path, document("one", "b"));
    UniqueFd open_file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    world.open();
    CHECK(texts(world, "one") == "a\n|a\n|a\n");
    REQUIRE(::write(open_file.get(), k_slipped.data(), k_slipped.size()) > 0);
    let_linger(world);
    CHECK(texts(world, "one") == "a\n|a\n|a\n");
    CHECK(world.engine().conflicts({})->conflicts.size() == 1);
    CHECK(is_below(world.folder() / "data/conflicts", k_slipped));
  }

  TEST_CASE("a rehearsal says which folder may not be written, and whose it is") {
    AsNobody nobody;
    Off world;
    place(world, {placement("old", files("old", "a"))});
    auto is_refused = [&world](const std::string& folder) {
      REQUIRE(::chmod(folder.c_str(), 0500) == 0);
      for (bool dry_run : {true, false}) {
        sync::PlaceOrder order = order_of({placement("one", files("one", "a"))});
        order.dry_run = dry_run;
        auto refused = world.engine().place(order, world.now());
        REQUIRE_FALSE(refused);
        CHECK(refused.error().code == ErrorCode::permission);
        CHECK(refused.error().message.starts_with("cannot write to `" + folder
                                                  + "`, where `agent2` would"));
        CHECK(refused.error().hint.find("leave `agent2` out") != std::string::npos);
        CHECK(texts(world, "one") == "||");
        order.skills[0].agents = {"agent0"};
        order.dry_run = true;
        CHECK(world.engine().place(order, world.now()));
      }
    };
    is_refused(world.root(2));
    for (bool dry_run : {true, false}) {
      auto stays = world.engine().take_away({{}, {"old"}, {}, "removed", dry_run}, world.now());
      REQUIRE_FALSE(stays);
      CHECK(stays.error().code == ErrorCode::permission);
      CHECK(stays.error().hint == "make it writable");
      CHECK(texts(world, "old") == "a\n|a\n|a\n");
    }
    REQUIRE(::chmod(world.root(2).c_str(), 0700) == 0);
    std::filesystem::remove_all(world.root(2));
    is_refused(world.folder() / ".cursor"); // where the folder would have to be made
    REQUIRE(::chmod((world.folder() / ".cursor").c_str(), 0700) == 0);
  }

  TEST_CASE("folders that a killed order made go where nothing came into them since") {
    Off world;
    const std::string made = world.folder() / ".fresh";
    const std::string used = world.folder() / ".used";
    world.setup().roots[1].path = made + "/skills";
    world.setup().roots[2].path = used + "/skills";
    world.close();
    auto store = store::SyncStore::open(world.folder() / "state/sync.db");
    REQUIRE(store);
    REQUIRE(store->add_made_folders(
        {made, made + "/skills", used, used + "/skills", world.folder() / ".never"}));
    // One was about to be filled, another one is a person's by now.
    write(made + "/.upskill-stage/1.one/SKILL.md", "half");
    std::filesystem::create_directories(made + "/skills");
    std::filesystem::create_directories(used + "/skills");
    write(used + "/settings.json", "{}");
    world.open();
    CHECK_FALSE(exists(made + "/skills"));
    CHECK_FALSE(exists(used + "/skills"));
    CHECK(exists(used + "/settings.json"));
    world.pass(61'000);
    REQUIRE(world.engine().tidy(world.now()));
    CHECK_FALSE(exists(made));
    // It is over: the same folder, made by a person, stays.
    std::filesystem::create_directories(made);
    std::filesystem::create_directories(used + "/skills");
    world.open();
    CHECK(exists(made));
    CHECK(exists(used + "/skills"));
  }

  TEST_CASE("nothing is taken back through a link that came to be there since") {
    Off world;
    place(world, {placement("one", files("one", "a"))});
    REQUIRE(place(world, {update("one", "a", "b")})[0].state == PlacedState::replaced);
    undo(world);
    interrupt(world, {intent_of(world, 1)});
    std::filesystem::rename(world.root(1), world.folder() / "elsewhere");
    std::filesystem::create_directory_symlink(world.folder() / "elsewhere", world.root(1));
    write(world.at(1, "one/SKILL.md"), document("one", "b"));
    world.open();
    CHECK(text_in(world, 1, "one") == "b\n");
  }
}
