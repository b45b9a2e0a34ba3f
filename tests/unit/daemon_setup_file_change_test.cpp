#include "daemon/setup/file_change.h"
#include "protocol/base/atomic_file.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

using namespace upskill;
using namespace upskill::setup;
using tests::file_text;
using tests::put_file;

namespace {

struct World {
  tests::TemporaryFolder folder;
  std::string home = real_path(folder.path());
  Places places;
  Record record;
  std::string path = home + "/agent/mcp.json";

  World() {
    places.home = home;
    places.data = home + "/data";
    REQUIRE(make_directories(home + "/agent"));
  }

  static EntryRow entry(const std::string& value = "1", const std::string& agent = "a") {
    EntryRow row;
    row.agent = agent;
    row.parents = {"servers"};
    row.key = "upskill";
    row.value = value;
    return row;
  }

  FileChange add(std::vector<EntryRow> entries) {
    return plan_entries(path, home, "", std::move(entries), record);
  }

  FileChange take() {
    REQUIRE(record.find(path) != nullptr);
    return plan_removal(*record.find(path), home, {});
  }

  bool exists(const std::string& what) const { return ::access(what.c_str(), F_OK) == 0; }
};

} // namespace

TEST_SUITE("a file of an agent's") {
  TEST_CASE("is edited, kept as it was, and restored with its mode") {
    World world;
    put_file(world.path, "{\"x\": 1}");
    REQUIRE(::chmod(world.path.c_str(), 0640) == 0);
    FileChange change = world.add({World::entry()});
    CHECK(change.is_change);
    CHECK(change.step.diff.find("+{\"x\": 1, \"servers\"") != std::string::npos);
    CHECK(file_text(world.path) == "{\"x\": 1}"); // nothing is done yet
    carry_out(change, world.record, world.places);
    CHECK(change.step.state == SetupState::done);
    CHECK(file_text(world.path) == "{\"x\": 1, \"servers\": {\"upskill\": 1}}");
    CHECK(file_text(change.step.backup) == "{\"x\": 1}");
    CHECK((tests::mode_of(world.path) & 0777) == 0640);
    Result<Record> kept = load_record(record_path(world.places));
    REQUIRE(kept);
    REQUIRE(kept->files.size() == 1);
    CHECK(kept->files[0].entries[0].place() == World::entry().place());

    FileChange back = world.take();
    carry_out(back, world.record, world.places);
    CHECK(file_text(world.path) == "{\"x\": 1}");
    CHECK((tests::mode_of(world.path) & 0777) == 0640);
    CHECK(world.record.files.empty());
    CHECK_FALSE(world.exists(world.places.data + "/setup"));
  }

  TEST_CASE("that is made goes, with its folders") {
    World world;
    world.path = world.home + "/new/deep/mcp.json";
    FileChange change = world.add({World::entry()});
    carry_out(change, world.record, world.places);
    REQUIRE(world.exists(world.path));
    CHECK((tests::mode_of(world.path) & 0777) == 0600);
    FileChange back = world.take();
    carry_out(back, world.record, world.places);
    CHECK_FALSE(world.exists(world.home + "/new"));
  }

  TEST_CASE("that changes between look and write is left alone") {
    World world;
    put_file(world.path, "{}");
    FileChange change = world.add({World::entry()});
    put_file(world.path, "{\"theirs\": 1}");
    carry_out(change, world.record, world.places);
    CHECK(change.step.state == SetupState::failed);
    CHECK(change.step.reason.find("was changed meanwhile") != std::string::npos);
    CHECK(file_text(world.path) == "{\"theirs\": 1}");
    CHECK(world.record.files.empty());
  }

  TEST_CASE("of which a killed setup left only the record") {
    World world;
    put_file(world.path, "{ }\n");
    FileChange change = world.add({World::entry()});
    carry_out(change, world.record, world.places);
    put_file(world.path, "{ }\n"); // as if the rename had never been
    SUBCASE("is set up by the next one") {
      FileChange again = world.add({World::entry()});
      carry_out(again, world.record, world.places);
      CHECK(again.step.state == SetupState::done);
      CHECK(world.record.files.size() == 1);
      CHECK(world.record.files[0].entries.size() == 1);
    }
    SUBCASE("is as it was when that is taken back") {}
    FileChange back = world.take();
    carry_out(back, world.record, world.places);
    CHECK(file_text(world.path) == "{ }\n");
    CHECK(world.record.files.empty());
  }

  TEST_CASE("that two agents share keeps the other's") {
    World world;
    put_file(world.path, "{}");
    EntryRow other = World::entry("2", "b");
    other.key = "other";
    FileChange change = world.add({World::entry(), other});
    carry_out(change, world.record, world.places);
    FileChange back = plan_removal(*world.record.find(world.path), world.home, {"a"});
    carry_out(back, world.record, world.places);
    CHECK(file_text(world.path) == "{\n  \"servers\": {\n    \"other\": 2\n  }\n}");
    FileChange last = world.take();
    carry_out(last, world.record, world.places);
    CHECK(file_text(world.path) == "{}");
  }

  TEST_CASE("without a record, what says the same is not ours") {
    World world;
    put_file(world.path, "{\"servers\": {\"upskill\": 1}}");
    FileChange change = world.add({World::entry()});
    CHECK_FALSE(change.is_change);
    REQUIRE(change.others.size() == 1);
    CHECK(change.others[0].state == SetupState::unchanged);
    carry_out(change, world.record, world.places);
    CHECK(world.record.files.empty());
  }

  TEST_CASE("whose copy is gone loses only what is ours") {
    World world;
    put_file(world.path, "{\"x\": 1 }\n");
    FileChange change = world.add({World::entry()});
    carry_out(change, world.record, world.places);
    REQUIRE(::unlink(change.step.backup.c_str()) == 0);
    FileChange back = world.take();
    carry_out(back, world.record, world.places);
    CHECK(file_text(world.path) == "{\"x\": 1 }\n");
  }
}

TEST_SUITE("look_at_file") {
  TEST_CASE("links") {
    World world;
    std::string link = world.home + "/link.json";
    auto look = [&](const std::string& target) {
      ::unlink(link.c_str());
      REQUIRE(::symlink(target.c_str(), link.c_str()) == 0);
      Result<ConfigFile> file = look_at_file(link, world.home);
      return file ? file->path : std::string(to_string(file.error().code));
    };
    put_file(world.path, "{}");
    CHECK(look("agent/mcp.json") == world.path);
    CHECK(look("/etc/passwd") == to_string(ErrorCode::refused));
    CHECK(look("agent/none.json") == to_string(ErrorCode::refused));
    CHECK(look("link.json") == to_string(ErrorCode::refused));
    REQUIRE(::symlink("/tmp", (world.home + "/away").c_str()) == 0);
    CHECK(look_at_file(world.home + "/away/x.json", world.home).error().code == ErrorCode::refused);
    CHECK(look_at_file(world.home + "/none/x.json", world.home)->path
          == world.home + "/none/x.json");
  }
}
