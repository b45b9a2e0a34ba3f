#include "skills/sync/put_skill.h"
#include "skills/sync/scan.h"
#include "tests/support/folder.h"
#include "tests/support/sync_world.h"
#include "tests/sync/watched_files.h"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>

using namespace upskill;
using namespace upskill::sync;
using sync_test::FileCall;
using sync_test::WatchedFiles;
namespace fs = std::filesystem;

namespace {

constexpr std::int64_t k_now = 1'795'240'570'000; // 2026-11-21 05:56:10 UTC
constexpr const char* k_old_document = "---\nname: pdf\ndescription: old\n---\nOld.\n";
constexpr const char* k_new_document = "---\nname: pdf\ndescription: new\n---\nNew.\n";

NewFiles new_version() {
  return {{"SKILL.md", {k_new_document}},
          {"scripts/run", {"#!/bin/sh\n", true}},
          {"references/api.md", {"text"}}};
}

struct World {
  test::Folder folder;
  WatchedFiles files;
  store::Trash trash{folder / "data/trash"};
  std::string target = folder / "skills/pdf";

  Result<PutOutcome> put(const NewFiles& content, std::optional<Digest> expected = {}) {
    return put_skill(files, trash, target, content, expected, k_now);
  }

  Digest put_old() {
    test::write(target + "/SKILL.md", k_old_document);
    test::write(target + "/evals/evals.json", "{}");
    return hash();
  }

  Digest hash() const { return read_skill(AT_FDCWD, target, {}).tree.hash(); }

  bool is_there() const { return test::exists(target); }

  // What lies beside the root, but for the mark that hides it from git.
  bool is_tidy() const { return !test::exists(folder / ".upskill-stage"); }

  std::size_t thrown_away() const { return trash.list()->size(); }
};

mode_t mode_of(const std::string& path) {
  struct stat status {};

  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

} // namespace

TEST_SUITE("put_skill") {
  TEST_CASE("a new skill comes whole, with the folders above it, and nothing is left beside it") {
    World world;
    Result<PutOutcome> put = world.put(new_version());
    REQUIRE(put);
    CHECK(put->replaced.empty());
    CHECK(put->hash == world.hash());
    CHECK(test::read(world.target + "/SKILL.md") == k_new_document);
    CHECK((mode_of(world.target + "/scripts/run") & S_IXUSR) != 0);
    CHECK((mode_of(world.target + "/references/api.md") & S_IXUSR) == 0);
    CHECK(world.is_tidy());
    CHECK(world.thrown_away() == 0);
  }

  TEST_CASE("an empty folder is taken, and anything else is not") {
    World world;
    fs::create_directories(world.target);
    SUBCASE("empty") {
      CHECK(world.put(new_version()));
    }
    SUBCASE("a skill") {
      Digest old = world.put_old();
      Result<PutOutcome> put = world.put(new_version());
      REQUIRE_FALSE(put);
      CHECK(put.error().code == ErrorCode::already_exists);
      CHECK(world.hash() == old);
    }
    SUBCASE("files that are no skill") {
      test::write(world.target + "/notes.txt", "mine");
      Result<PutOutcome> put = world.put(new_version());
      REQUIRE_FALSE(put);
      CHECK(put.error().code == ErrorCode::already_exists);
      CHECK(test::read(world.target + "/notes.txt") == "mine");
    }
    SUBCASE("a file") {
      fs::remove(world.target);
      test::write(world.target, "mine");
      Result<PutOutcome> put = world.put(new_version());
      REQUIRE_FALSE(put);
      CHECK(put.error().code == ErrorCode::already_exists);
      CHECK(test::read(world.target) == "mine");
    }
    SUBCASE("a link") {
      fs::remove(world.target);
      fs::create_directories(world.folder / "elsewhere");
      fs::create_symlink(world.folder / "elsewhere", world.target);
      Result<PutOutcome> put = world.put(new_version());
      REQUIRE_FALSE(put);
      CHECK(put.error().code == ErrorCode::refused);
      CHECK(put.error().message.find("elsewhere") != std::string::npos);
      CHECK(fs::is_symlink(world.target));
      CHECK(fs::is_empty(world.folder / "elsewhere"));
    }
    CHECK(world.is_tidy());
  }

  TEST_CASE("what is replaced lies in the trash, readable and with its origin") {
    for (bool can_exchange : {true, false}) {
      CAPTURE(can_exchange);
      World world;
      world.files.can_exchange = can_exchange;
      Digest old = world.put_old();
      ::chmod(world.target.c_str(), 0700);
      Result<PutOutcome> put = world.put(new_version(), old);
      REQUIRE(put);
      CHECK(world.hash() == put->hash);
      CHECK_FALSE(test::exists(world.target + "/evals")); // it was not in the set
      CHECK(mode_of(world.target) == 0700);               // as private as before
      CHECK(test::read(put->replaced + "/SKILL.md") == k_old_document);
      CHECK(test::read(put->replaced + "/evals/evals.json") == "{}");
      store::TrashItem item = world.trash.list()->at(0);
      CHECK(put->replaced == item.content());
      CHECK(item.origin.path == world.target);
      CHECK(item.origin.hash == old.hex());
      CHECK(item.origin.time_ms == k_now);
      CHECK(world.is_tidy());
    }
  }

  TEST_CASE("what is no content stays where it is") {
    World world;
    Digest old = world.put_old();
    test::write(world.target + "/.git/HEAD", "ref");
    REQUIRE(world.put(new_version(), old));
    CHECK(test::read(world.target + "/.git/HEAD") == "ref");
  }

  TEST_CASE("the same version is nothing to do") {
    World world;
    Digest first = world.put(new_version()).value().hash;
    world.files.reset();
    Result<PutOutcome> again = world.put(new_version(), first);
    REQUIRE(again);
    CHECK(again->replaced.empty());
    CHECK(world.files.count() == 0);
  }

  TEST_CASE("another version than was expected is not overwritten, whenever it came") {
    World world;
    Digest old = world.put_old();
    SUBCASE("before") {
      test::write(world.target + "/SKILL.md", "---\nname: pdf\n---\nMine.\n");
    }
    SUBCASE("gone") {
      fs::remove_all(world.target);
    }
    SUBCASE("just before the swap") {
      world.files.before = [&](const FileCall& call) -> Result<void> {
        if (std::string_view(call.name) == "sync_all") {
          test::write(world.target + "/SKILL.md", "---\nname: pdf\n---\nMine.\n");
        }
        return {};
      };
    }
    SUBCASE("within it") {
      world.files.before = [&](const FileCall& call) -> Result<void> {
        if (std::string_view(call.name) == "exchange" && call.path == world.target
            && test::read(world.target + "/SKILL.md") == k_old_document) {
          test::write(world.target + "/SKILL.md", "---\nname: pdf\n---\nMine.\n");
        }
        return {};
      };
    }
    Result<PutOutcome> put = world.put(new_version(), old);
    REQUIRE_FALSE(put);
    CHECK(put.error().code == ErrorCode::changed);
    if (world.is_there()) {
      CHECK(test::read(world.target + "/SKILL.md") == "---\nname: pdf\n---\nMine.\n");
    }
    CHECK(world.thrown_away() == 0);
    CHECK(world.is_tidy());
  }

  TEST_CASE("what appears meanwhile where nothing was stays") {
    World world;
    bool was_empty = false;
    SUBCASE("nothing was there") {}
    SUBCASE("an empty folder was there") {
      fs::create_directories(world.target);
      was_empty = true;
    }
    world.files.before = [&](const FileCall& call) -> Result<void> {
      bool is_swap = call.path == world.target
                     && std::string_view(call.name) == (was_empty ? "remove_folder" : "move");
      if (is_swap) {
        test::write(world.target + "/SKILL.md", k_old_document);
      }
      return {};
    };
    REQUIRE_FALSE(world.put(new_version()));
    CHECK(test::read(world.target + "/SKILL.md") == k_old_document);
    CHECK(world.is_tidy());
  }

  TEST_CASE("killed at any moment it leaves the old version or the new one") {
    for (bool can_exchange : {true, false}) {
      for (bool was_there : {true, false}) {
        int steps = 0;
        for (int last = 0; last <= steps; ++last) {
          CAPTURE(can_exchange);
          CAPTURE(was_there);
          CAPTURE(last);
          World world;
          world.files.can_exchange = can_exchange;
          std::optional<Digest> old;
          if (was_there) {
            old = world.put_old();
            test::write(world.target + "/.git/HEAD", "ref");
          }
          world.files.reset();
          world.files.before = [&](const FileCall& call) -> Result<void> {
            return last > 0 && call.number > last ? fail(ErrorCode::io, "killed") : Result<void>{};
          };
          Result<PutOutcome> put = world.put(new_version(), old);
          if (last == 0) { // how many steps there are
            REQUIRE(put);
            steps = world.files.count();
            REQUIRE(steps > 8);
            continue;
          }
          world.files.before = {};
          bool is_old = old ? world.hash() == *old : !world.is_there();
          bool is_new = !is_old && test::read(world.target + "/SKILL.md") == k_new_document
                        && test::read(world.target + "/scripts/run") == "#!/bin/sh\n";
          bool is_aside = old && !can_exchange && !world.is_there();
          CHECK((is_old || is_new || is_aside));
          if (was_there) {
            CHECK((is_new || is_aside || test::read(world.target + "/.git/HEAD") == "ref"));
          }
          // Whatever is left over is in nobody's way, and the version before can be had.
          if (!is_new) {
            REQUIRE(world.put(new_version(), old));
          }
          CHECK(test::read(world.target + "/SKILL.md") == k_new_document);
        }
      }
    }
  }

  TEST_CASE("a full disk, at whatever step, is told and changes nothing") {
    int steps = 1;
    for (int failing = 0; failing <= steps; ++failing) {
      CAPTURE(failing);
      World world;
      Digest old = world.put_old();
      world.files.reset();
      world.files.before = [&](const FileCall& call) -> Result<void> {
        return call.number == failing ? fail(ErrorCode::no_space, "no space left") : Result<void>{};
      };
      Result<PutOutcome> put = world.put(new_version(), old);
      if (failing == 0) {
        REQUIRE(put);
        steps = world.files.count();
        continue;
      }
      if (put) { // what failed was tidying up, or had another way
        CHECK(world.hash() == put->hash);
        CHECK(world.thrown_away() == 1);
      } else {
        CHECK(put.error().code == ErrorCode::no_space);
        CHECK(world.hash() == old);
        CHECK(world.thrown_away() == 0);
      }
    }
  }

  TEST_CASE("where the trash cannot take it, the version before stays in its place") {
    for (bool can_exchange : {true, false}) {
      CAPTURE(can_exchange);
      World world;
      world.files.can_exchange = can_exchange;
      Digest old = world.put_old();
      test::write(world.target + "/.git/HEAD", "ref");
      test::write(world.folder / "data/trash", "no folder");
      Result<PutOutcome> put = world.put(new_version(), old);
      REQUIRE_FALSE(put);
      CHECK(test::read(world.target + "/.git/HEAD") == "ref");
      if (can_exchange) {
        CHECK(world.hash() == old);
        CHECK(world.is_tidy());
      } else {
        CHECK(put.error().message.find("the new version is in place") != std::string::npos);
        CHECK(test::read(world.folder / ".upskill-stage/1.pdf/SKILL.md") == k_old_document);
      }
    }
  }

  TEST_CASE("where one may not write nothing is left behind") {
    World world;
    fs::create_directories(world.folder / "skills");
    ::chmod(world.folder.path().c_str(), 0755);
    Result<PutOutcome> put = fail(ErrorCode::internal, "not asked");
    {
      test::AsNobody nobody;
      put = world.put(new_version());
    }
    REQUIRE_FALSE(put);
    CHECK(put.error().code == ErrorCode::permission);
    CHECK(fs::is_empty(world.folder / "skills"));
  }

  TEST_CASE("folders that were made for nothing go again") {
    World world;
    world.target = world.folder / "a/b/skills/pdf";
    world.files.before = [&](const FileCall& call) -> Result<void> {
      return std::string_view(call.name) == "write_file" && call.path.ends_with("SKILL.md")
                 ? fail(ErrorCode::no_space, "no space left")
                 : Result<void>{};
    };
    REQUIRE_FALSE(world.put(new_version()));
    CHECK_FALSE(test::exists(world.folder / "a"));
  }

  TEST_CASE("what is no skill, or leads out of it, is written nowhere") {
    World world;
    for (NewFiles content : std::vector<NewFiles>{
             {},
             {{"SKILL.md", {""}}},
             {{"README.md", {"text"}}},
             {{"SKILL.md", {k_new_document}}, {"../out", {"text"}}},
             {{"SKILL.md", {k_new_document}}, {"/etc/passwd", {"text"}}},
             {{"SKILL.md", {k_new_document}}, {"a//b", {"text"}}},
             {{"SKILL.md", {k_new_document}}, {".git/hooks/pre-commit", {"text", true}}},
             {{"SKILL.md", {k_new_document}}, {"a", {"text"}}, {"a/b", {"text"}}},
             {{"SKILL.md", {k_new_document}}, {"a", {"", false, "../../secret"}}},
             {{"SKILL.md", {k_new_document}}, {"a.md", {"one"}}, {"A.md", {"two"}}}}) {
      Result<PutOutcome> put = world.put(content);
      REQUIRE_FALSE(put);
      CHECK(put.error().code == ErrorCode::invalid_argument);
      CHECK_FALSE(test::exists(world.folder / "skills"));
      CHECK(world.is_tidy());
    }
    for (std::string target : {"pdf", "/", "/tmp/.hidden", "/tmp/con"}) {
      CAPTURE(target);
      world.target = target;
      REQUIRE_FALSE(world.put(new_version()));
    }
  }

  TEST_CASE("beside a root where sync stages too, nobody takes what is the other's") {
    World world;
    fs::create_directories(world.folder / "skills");
    // Sync has staged one and counted to it; the next number is ours, and then again sync's.
    test::write(world.folder / ".upskill-stage/1.pdf/SKILL.md", "sync's");
    world.files.before = [&](const FileCall& call) -> Result<void> {
      if (std::string_view(call.name) == "make_folder" && call.path.ends_with("/2.pdf")) {
        test::write(world.folder / ".upskill-stage/2.pdf/SKILL.md", "sync's");
      }
      return {};
    };
    REQUIRE(world.put(new_version()));
    CHECK(test::read(world.folder / ".upskill-stage/1.pdf/SKILL.md") == "sync's");
    CHECK(test::read(world.folder / ".upskill-stage/2.pdf/SKILL.md") == "sync's");
  }

  TEST_CASE("a folder for staging that sync tidies away is made again") {
    World world;
    fs::create_directories(world.folder / "skills");
    bool is_tidied = false;
    world.files.before = [&](const FileCall& call) -> Result<void> {
      if (std::string_view(call.name) == "make_folder" && call.path.ends_with("/1.pdf")
          && !std::exchange(is_tidied, true)) {
        fs::remove_all(world.folder / ".upskill-stage");
      }
      return {};
    };
    REQUIRE(world.put(new_version()));
    CHECK(is_tidied);
    CHECK(test::read(world.target + "/SKILL.md") == k_new_document);
  }
}

TEST_SUITE("merge_with_old") {
  TEST_CASE("what the new version does not have stays, and it goes on being a program or a link") {
    World world;
    Digest old = world.put_old();
    test::write(world.target + "/scripts/old", "#!/bin/sh\n", 0755);
    test::write(world.target + "/references/gone.md", "text");
    test::write(world.target + "/drafts/a.md", "text");
    fs::create_symlink("scripts/old", world.target + "/run");
    Result<std::optional<PlacedSkill>> placed = read_placed(world.target);
    REQUIRE(placed);
    REQUIRE(*placed);
    CHECK((*placed)->hash == world.hash());
    CHECK((*placed)->hash != old);
    NewFiles merged =
        merge_with_old(new_version(), **placed, {"references/gone.md", "drafts", "nowhere"});
    REQUIRE(world.put(merged, (*placed)->hash));
    CHECK(test::read(world.target + "/SKILL.md") == k_new_document);
    CHECK(test::read(world.target + "/evals/evals.json") == "{}");
    CHECK((mode_of(world.target + "/scripts/old") & S_IXUSR) != 0);
    CHECK(fs::read_symlink(world.target + "/run") == "scripts/old");
    CHECK_FALSE(test::exists(world.target + "/references/gone.md"));
    CHECK_FALSE(test::exists(world.target + "/drafts"));
  }

  TEST_CASE("a document of the other spelling is the same document") {
    PlacedSkill old{.files = {{"skill.md", {"old"}}, {"evals/a", {"a"}}}};
    NewFiles merged = merge_with_old({{"SKILL.md", {"new"}}}, old);
    CHECK(merged == NewFiles{{"SKILL.md", {"new"}}, {"evals/a", {"a"}}});
  }

  TEST_CASE("nothing is read where nothing is, and no link is followed") {
    World world;
    REQUIRE(read_placed(world.target));
    CHECK_FALSE(*read_placed(world.target));
    fs::create_directories(world.target);
    CHECK_FALSE(*read_placed(world.target));
    fs::remove(world.target);
    fs::create_symlink("/etc", world.target);
    CHECK_FALSE(read_placed(world.target));
  }
}

namespace {

// A skill of two roots in agreement, and one that saves another version into the first.
struct SharedWorld {
  test::SyncWorld sync{{".agents", ".claude"}};
  WatchedFiles files;
  store::Trash trash{sync.folder() / "data/trash"};
  std::string old_text = {};
  Digest old = {};

  SharedWorld() {
    sync.write_skill(0, "pdf", "Old.");
    sync.settle();
    REQUIRE(test::exists(sync.at(1, "pdf")));
    old_text = sync.skill(0, "pdf");
    old = read_skill(AT_FDCWD, sync.at(0, "pdf"), {}).tree.hash();
  }

  Result<PutOutcome> put() {
    return put_skill(files, trash, sync.at(0, "pdf"), new_version(), old, k_now);
  }

  void tidy() {
    sync.settle();
    for (int i = 0; i < 3; ++i) {
      sync.pass(120'000);
      REQUIRE(sync.engine().tidy(sync.now()));
    }
    sync.settle();
  }

  // Both copies are this one, and nothing is left beside them.
  void check_is_one(bool may_be_old) {
    CHECK(sync.skill(0, "pdf") == sync.skill(1, "pdf"));
    bool is_new = sync.skill(0, "pdf") == k_new_document;
    bool is_old = sync.skill(0, "pdf") == old_text;
    CHECK((is_new || (may_be_old && is_old)));
    for (const char* root : {".agents", ".claude"}) {
      CHECK_FALSE(test::exists(sync.folder() / (std::string(root) + "/.upskill-stage")));
    }
  }
};

} // namespace

TEST_SUITE("put_skill beside sync") {
  TEST_CASE("what a killed one leaves, sync takes in") {
    for (bool can_exchange : {true, false}) {
      int steps = 1;
      for (int last = 0; last <= steps; ++last) {
        CAPTURE(can_exchange);
        CAPTURE(last);
        SharedWorld world;
        world.files.can_exchange = can_exchange;
        world.sync.close();
        world.files.before = [&](const FileCall& call) -> Result<void> {
          return last > 0 && call.number > last ? fail(ErrorCode::io, "killed") : Result<void>{};
        };
        Result<PutOutcome> put = world.put();
        if (last == 0) {
          REQUIRE(put);
          steps = world.files.count();
        }
        world.sync.open();
        world.tidy();
        world.check_is_one(last > 0);
      }
    }
  }

  TEST_CASE("a round and a tidying at any step take nothing away") {
    for (bool can_exchange : {true, false}) {
      int steps = 1;
      for (int at = 1; at <= steps; ++at) {
        CAPTURE(can_exchange);
        CAPTURE(at);
        SharedWorld world;
        world.files.can_exchange = can_exchange;
        world.files.before = [&](const FileCall& call) -> Result<void> {
          if (call.number == at) {
            world.sync.run();
            REQUIRE(world.sync.engine().tidy(world.sync.now()));
          }
          return {};
        };
        Result<PutOutcome> put = world.put();
        steps = std::max(steps, world.files.count());
        if (!put) { // on a file system that cannot swap, sync puts back what was moved aside
          CHECK_FALSE(can_exchange);
          CHECK(world.sync.skill(0, "pdf") == world.old_text);
          world.files.before = {};
          REQUIRE(world.put());
        }
        world.tidy();
        world.check_is_one(false);
      }
    }
  }
}
