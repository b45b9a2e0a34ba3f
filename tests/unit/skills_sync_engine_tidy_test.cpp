#include "protocol/base/unique_fd.h"
#include "skills/store/trash.h"
#include "tests/support/sync_world.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

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

// What it tells.
std::vector<std::string> tidy(SyncWorld& world) {
  auto done = world.engine().tidy(world.now());
  REQUIRE_MESSAGE(done, done.error().message);
  return done->warnings;
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

  TEST_CASE("what is written to a folder after it was replaced is a conflict") {
    SyncWorld world;
    world.write_skill(0, "one", "first");
    world.settle();
    // As a shell that stands in it does.
    UniqueFd inside(::open(world.at(1, "one").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    world.write_skill(0, "one", "second");
    world.settle();
    const std::string late = "---\nname: one\ndescription: d\n---\nlate words\n";
    UniqueFd file(::openat(inside.get(), "SKILL.md", O_WRONLY | O_TRUNC | O_CLOEXEC));
    REQUIRE(::write(file.get(), late.data(), late.size()) == static_cast<ssize_t>(late.size()));
    world.pass(61'000);
    SUBCASE("that names both") {
      CHECK(tidy(world).size() == 1);
      auto found = world.engine().conflicts({});
      REQUIRE(found);
      REQUIRE(found->conflicts.size() == 1);
      REQUIRE(found->conflicts[0].versions.size() == 2);
      CHECK(read(found->conflicts[0].versions[1].stored + "/SKILL.md") == late);
      CHECK(world.skill(1, "one").find("second") != std::string::npos);
      world.settle();
      CHECK(world.engine().conflicts({})->conflicts.size() == 1);
      REQUIRE(world.engine().resolve({"one", "loser", false}, world.now()));
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(world.skill(i, "one") == late);
      }
      CHECK(world.engine().conflicts({})->conflicts.empty());
      world.pass(61'000);
      CHECK(tidy(world).empty());
    }
    SUBCASE("unless it says what everybody has") {
      const std::string second = world.skill(0, "one");
      REQUIRE(::pwrite(file.get(), second.data(), second.size(), 0)
              == static_cast<ssize_t>(second.size()));
      REQUIRE(::ftruncate(file.get(), static_cast<off_t>(second.size())) == 0);
      CHECK(tidy(world).empty());
      CHECK(world.engine().conflicts({})->conflicts.empty());
    }
    SUBCASE("and lies in the trash where the skill is gone") {
      world.remove(0, "one");
      world.settle();
      CHECK(tidy(world).size() == 1);
      world.pass(61'000);
      CHECK(tidy(world).empty());
      CHECK(holds(world.folder() / "data/trash", "late words"));
    }
    CHECK_FALSE(exists(world.folder() / ".claude/.upskill-stage"));
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
