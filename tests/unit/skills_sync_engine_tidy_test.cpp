#include "skills/store/trash.h"
#include "tests/support/sync_world.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::test;

namespace {

// The objects of the store, the damaged ones too.
std::vector<std::string> objects_of(SyncWorld& world, const std::string& ending) {
  std::vector<std::string> found;
  const std::string folder = world.folder() / "data/objects";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().string().ends_with(ending)) {
      found.push_back(entry.path());
    }
  }
  return found;
}

// The first object that holds these bytes.
std::string object_with(SyncWorld& world, const std::string& text) {
  std::vector<std::string> all = objects_of(world, ".tar");
  auto at = std::ranges::find_if(
      all, [&](const std::string& path) { return read(path).find(text) != std::string::npos; });
  REQUIRE(at != all.end());
  return *at;
}

void tidy(SyncWorld& world) {
  auto done = world.engine().tidy(world.now());
  REQUIRE_MESSAGE(done, done.error().message);
}

// Whether some file below this folder holds the text.
bool holds(const std::string& folder, const std::string& text) {
  if (!exists(folder)) {
    return false;
  }
  std::filesystem::recursive_directory_iterator all(folder);
  return std::any_of(begin(all), end(all), [&](const auto& entry) {
    return entry.is_regular_file() && read(entry.path()).find(text) != std::string::npos;
  });
}

} // namespace

TEST_SUITE("Tidying") {
  TEST_CASE("a version whose object was cut off is kept anew before it is overwritten") {
    SyncWorld world;
    world.write_skill(0, "one", "precious text");
    world.settle();
    const std::string object = object_with(world, "precious text");
    // Between two blocks, as a power failure does.
    std::filesystem::resize_file(object, std::filesystem::file_size(object) - 512);
    world.write_skill(0, "one", "edited");
    world.settle();
    world.pass(61'000);
    tidy(world);
    CHECK_FALSE(exists(world.folder() / ".claude/.upskill-stage"));
    auto undone = world.engine().undo({}, world.now());
    REQUIRE_MESSAGE(undone, undone.error().message);
    CHECK(world.skill(2, "one").find("precious text") != std::string::npos);
  }

  TEST_CASE("a folder that was replaced does not go while the store only seems to have it") {
    SyncWorld world;
    world.write_skill(0, "one", "precious text");
    world.settle();
    world.write_skill(0, "one", "edited");
    world.settle();
    const std::string object = object_with(world, "precious text");
    std::string damaged = read(object);
    SUBCASE("because its object was cut off afterwards") {
      damaged.resize(damaged.size() - 512);
    }
    SUBCASE("because a block of it was never written") {
      damaged.replace(512, 512, 512, '\0');
    }
    write(object, damaged);
    world.pass(61'000);
    tidy(world);
    CHECK_FALSE(exists(world.folder() / ".claude/.upskill-stage"));
    CHECK(holds(world.folder() / "data/trash", "precious text"));
    CHECK(objects_of(world, ".tar.damaged").size() == 1);
    // The next time that it is agreed on it is kept anew.
    world.write_skill(0, "one", "precious text");
    world.settle();
    CHECK(exists(object));
  }

  TEST_CASE("the losing versions of a conflict go 30 days after it was settled") {
    constexpr std::int64_t k_day_ms = 24LL * 3600 * 1000;
    SyncWorld world;
    world.write_skill(0, "one", "left");
    world.write_skill(1, "one", "right");
    world.settle();
    auto stored = [&]() -> std::string {
      auto found = world.engine().conflicts({});
      REQUIRE(found);
      REQUIRE(found->conflicts.size() == 1);
      return found->conflicts[0].versions.at(1).stored;
    };
    const std::string kept = stored();
    const std::string loser = read(kept + "/SKILL.md");
    world.pass(200 * k_day_ms);
    tidy(world);
    CHECK(exists(kept)); // it is not settled
    REQUIRE(world.engine().resolve({"one", "loser", false}, world.now()));
    world.pass(29 * k_day_ms);
    tidy(world);
    CHECK(exists(kept));
    SUBCASE("and not before it is settled once more") {
      REQUIRE(world.engine().undo({}, world.now()));
      world.pass(2 * k_day_ms);
      tidy(world);
      CHECK(stored() == kept);
      CHECK(exists(kept));
      REQUIRE(world.engine().resolve({"one", "loser", false}, world.now()));
      world.pass(29 * k_day_ms);
      tidy(world);
      CHECK(exists(kept));
    }
    world.pass(2 * k_day_ms);
    tidy(world);
    CHECK_FALSE(exists(kept));
    CHECK(std::filesystem::is_empty(world.folder() / "data/conflicts"));
    // The undo of it does not promise what has gone.
    REQUIRE(world.engine().undo({}, world.now()));
    CHECK(stored().empty());
    REQUIRE(world.engine().resolve({"one", "loser", false}, world.now()));
    CHECK(world.skill(2, "one") == loser);
  }
}
