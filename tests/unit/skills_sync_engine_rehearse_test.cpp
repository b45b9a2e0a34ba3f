#include "tests/support/sync_world.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace upskill;
using namespace upskill::test;

namespace {

sync::Rehearsal
rehearse(SyncWorld& world, const sync::ScopeSetup& setup, sync::HaltedRoots halted) {
  auto rehearsal = world.engine().rehearse({setup}, halted, world.now());
  REQUIRE_MESSAGE(rehearsal, rehearsal.error().message);
  return std::move(*rehearsal);
}

sync::Rehearsal rehearse(SyncWorld& world, sync::HaltedRoots halted) {
  return rehearse(world, world.setup(), halted);
}

std::set<std::string> all_below(const std::string& folder) {
  std::set<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    paths.insert(entry.path());
  }
  return paths;
}

std::vector<std::string> told(const sync::Round& round) {
  std::vector<std::string> lines;
  for (const SyncStep& step : round.steps) {
    lines.push_back(std::string(enum_name(step.action)) + " " + step.skill + " " + step.path);
  }
  return lines;
}

} // namespace

TEST_SUITE("Engine::rehearse") {
  TEST_CASE("what is planned with halted roots accepted is what is done then") {
    SyncWorld world;
    for (const char* name : {"one", "two", "three"}) {
      world.write_skill(0, name, "text");
    }
    world.settle();
    SUBCASE("vanished") {
      std::filesystem::remove_all(world.root(1));
    }
    SUBCASE("emptied") {
      for (const char* name : {"one", "two", "three"}) {
        world.remove(1, name);
      }
    }
    SUBCASE("replaced by another folder") {
      std::filesystem::rename(world.root(1), world.root(1) + ".away");
      std::filesystem::create_directory(world.root(1));
      auto planned = told(rehearse(world, sync::HaltedRoots::leave).round);
      CHECK(planned.size() == 3);
      CHECK(told(world.run()) == planned);
      return;
    }
    world.run();
    REQUIRE(world.engine().status().state == SyncState::halted);
    CHECK(rehearse(world, sync::HaltedRoots::leave).round.steps.empty());
    sync::Rehearsal rehearsal = rehearse(world, sync::HaltedRoots::accept);
    CHECK(rehearsal.round.steps.size() == 3);
    CHECK_FALSE(exists(world.at(1, "one")));
    CHECK(world.engine().status().state == SyncState::halted);
    CHECK(world.run().steps.empty());
    world.open(); // nor does another process know of it
    world.run();
    CHECK(world.engine().status().state == SyncState::halted);
    REQUIRE(world.engine().accept_roots());
    CHECK(told(world.run()) == told(rehearsal.round));
  }

  TEST_CASE("what the engine found out stays known, and the problems are told") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    world.write_skill(1, "One", "text");
    world.run();
    REQUIRE(world.engine().overview().status.problems == 1);
    world.setup().policy = SyncPolicy::cover;
    sync::Rehearsal rehearsal = rehearse(world, sync::HaltedRoots::leave);
    REQUIRE(rehearsal.status.skills.size() == 2);
    CHECK(rehearsal.status.skills[0].skill == "One");
    CHECK_FALSE(rehearsal.status.skills[0].reason.empty());
    CHECK(world.engine().overview().status.problems == 1);
    CHECK(world.engine().setup().at(0).policy == SyncPolicy::mirror);
  }

  TEST_CASE("what an interrupted run left beside a folder is not touched") {
    SyncWorld world;
    world.write_skill(0, "one", "text");
    world.settle();
    world.write_skill(0, "one", "edited");
    world.run();
    const std::set<std::string> left = all_below(world.folder() / ".cursor");
    REQUIRE(left.size() > 3); // with what was replaced
    const sync::ScopeSetup with_cursor = world.setup();
    world.setup().roots.pop_back();
    world.setup().agents.pop_back();
    world.open();
    rehearse(world, with_cursor, sync::HaltedRoots::leave);
    world.pass(3'600'000);
    REQUIRE(world.engine().tidy(world.now()));
    CHECK(all_below(world.folder() / ".cursor") == left);
  }
}
