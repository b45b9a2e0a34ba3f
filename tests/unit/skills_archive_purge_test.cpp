#include "skills_archive_world.h"

#include <fstream>

using namespace upskill;
using namespace upskill::tests;

namespace {

void purge(ArchiveWorld& world, std::string_view key) {
  REQUIRE(world.archive.remove(world.row(key), ++world.now_ms));
}

} // namespace

TEST_CASE("a purged session is gone, and stays away until its file grows") {
  ArchiveWorld world;
  std::string bytes = deploying("s1", token()).bytes;
  std::string path = world.put("a.jsonl", bytes);
  store::SessionRow row = world.keep(path).row;
  purge(world, "claude-code/s1");
  CHECK(world.sessions().empty());
  CHECK(world.found("zeppelin") == 0);
  CHECK_FALSE(std::filesystem::exists(world.archive.objects().path_of(row.object)));
  Kept walked = world.keep(path);
  CHECK(walked.state == KeepState::skipped);
  CHECK(walked.reason.find("purged") != std::string::npos);
  CHECK(world.sessions().empty());
  std::string more = bytes + deploying("s1", "x").bytes;
  world.put("a.jsonl", more);
  CHECK(world.keep(path).state == KeepState::imported);
  CHECK(world.text(world.row("claude-code/s1")) == replaced(more, token(), k_mark));
}

TEST_CASE("a person who names the file brings a purged session back") {
  ArchiveWorld world;
  std::string path = world.put("a.jsonl", deploying("s1", token()).bytes);
  world.keep(path);
  purge(world, "claude-code/s1");
  CHECK(world.keep(path, {.is_named = true}).state == KeepState::imported);
  CHECK(world.sessions() == std::vector<std::string>{"s1"});
  // And from then on it is as any other.
  CHECK(world.keep(path).state == KeepState::unchanged);
}

TEST_CASE("a purged session stays away when its agent moves or compresses it") {
  ArchiveWorld world;
  std::string bytes = deploying("s1", token()).bytes;
  world.keep(world.put("a.jsonl", bytes));
  purge(world, "claude-code/s1");
  std::filesystem::remove(world.file("a.jsonl"));
  std::string moved = world.put("archived/b.jsonl", bytes);
  CHECK(world.keep(moved).state == KeepState::skipped);
  std::string packed = world.put("archived/c.jsonl.zst", compressed(bytes));
  CHECK(world.keep(packed).state == KeepState::skipped);
  CHECK(world.sessions().empty());
  // It goes on where it is now.
  world.put("archived/b.jsonl", bytes + deploying("s1", "x").bytes);
  CHECK(world.keep(moved).state == KeepState::imported);
  // Another one is not meant.
  CHECK(world.keep(world.put("d.jsonl", deploying("s2", token()).bytes)).state
        == KeepState::imported);
}
