#include "protocol/base/hash.h"
#include "skills/store/folder_tree.h"
#include "skills/store/trash.h"
#include "skills_store_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

using namespace upskill;
using namespace upskill::store;
using namespace store_test;

namespace {

constexpr std::int64_t k_now = 1'795'240'570'000; // 2026-11-21 05:56:10 UTC
constexpr std::int64_t k_day = 24LL * 3600 * 1000;

TrashOrigin origin_of(const std::string& path, std::int64_t time_ms = k_now) {
  return {path, std::string(base_name(path)), "deleted", sha256("x").hex(), time_ms};
}

void make_skill(const std::string& path, std::size_t bytes = 10) {
  write(path + "/SKILL.md", std::string(bytes, 's'));
  write(path + "/scripts/run", "#!/bin/sh\n", 0755);
  std::filesystem::create_symlink("scripts/run", path + "/link");
}

TrashItem take(Trash& trash, const TrashOrigin& origin) {
  auto item = trash.take(origin);
  REQUIRE_MESSAGE(item.has_value(), (item ? "" : item.error().message));
  return *item;
}

std::vector<TrashItem> list(const Trash& trash) {
  auto items = trash.list();
  REQUIRE(items);
  return *items;
}

// A folder on another file system than /tmp, or none.
std::string other_file_system() {
  struct stat here {};

  struct stat there {};

  bool other = ::stat("/tmp", &here) == 0 && ::stat("/dev/shm", &there) == 0
               && here.st_dev != there.st_dev && ::access("/dev/shm", W_OK) == 0;
  return other ? "/dev/shm" : "";
}

} // namespace

TEST_SUITE("Trash") {
  TEST_CASE("what is taken lies whole and readable under its time and name") {
    Folder folder;
    Trash trash(folder / "data/trash");
    CHECK(list(trash).empty());
    make_skill(folder / "root/pdf");
    TrashItem item = take(trash, origin_of(folder / "root/pdf"));
    CHECK(item.folder == folder / "data/trash/20261121T055610Z-pdf-1");
    CHECK_FALSE(exists(folder / "root/pdf"));
    CHECK(read(item.content() + "/SKILL.md") == "ssssssssss");
    CHECK(read(item.folder + "/origin.json").find("\"path\": \"" + (folder / "root/pdf") + "\"")
          != std::string::npos);
    REQUIRE(list(trash).size() == 1);
    CHECK(list(trash)[0].origin == origin_of(folder / "root/pdf"));
    CHECK(read(item.content() + "/scripts/run") == "#!/bin/sh\n");
  }

  TEST_CASE("the same skill twice in a second is two items") {
    Folder folder;
    Trash trash(folder / "trash");
    make_skill(folder / "a/pdf");
    make_skill(folder / "b/pdf");
    TrashItem one = take(trash, origin_of(folder / "a/pdf"));
    TrashItem other = take(trash, origin_of(folder / "b/pdf"));
    CHECK(one.name == "20261121T055610Z-pdf-1");
    CHECK(other.name == "20261121T055610Z-pdf-2");
    CHECK(list(trash).size() == 2);
  }

  TEST_CASE("a displaced tree is taken from where it lies, under the path it had") {
    Folder folder;
    Trash trash(folder / "trash");
    make_skill(folder / "root/.upskill-old");
    auto item = trash.take(folder / "root/.upskill-old", origin_of(folder / "root/pdf"));
    REQUIRE(item);
    CHECK(list(trash)[0].origin.path == folder / "root/pdf");
    CHECK_FALSE(exists(folder / "root/.upskill-old"));
  }

  TEST_CASE("any name can be taken and is remembered exactly") {
    Folder folder;
    Trash trash(folder / "trash");
    for (std::string name : {std::string("new\nline"),
                             std::string("bad\xFF\xC3"),
                             std::string(255, 'n'),
                             std::string("-"),
                             std::string(85, '\xE2')}) {
      CAPTURE(name);
      make_skill(folder / name);
      TrashItem item = take(trash, origin_of(folder / name));
      CHECK(item.name.size() <= 255);
      CHECK(item.name.find('\n') == std::string::npos);
      REQUIRE(list(trash).size() == 1);
      CHECK(list(trash)[0].origin == origin_of(folder / name));
      CHECK(exists(item.content() + "/SKILL.md"));
      REQUIRE(remove_tree(item.folder));
    }
  }

  TEST_CASE("a link is taken itself, what it leads to stays") {
    Folder folder;
    Trash trash(folder / "trash");
    make_skill(folder / "real");
    std::filesystem::create_symlink(folder / "real", folder / "linked");
    TrashItem item = take(trash, origin_of(folder / "linked"));
    CHECK(std::filesystem::is_symlink(item.content()));
    auto purged = trash.purge(k_now + 31 * k_day);
    REQUIRE(purged);
    CHECK(purged->count == 1);
    CHECK_FALSE(exists(item.folder));
    CHECK(read(folder / "real/SKILL.md") == "ssssssssss");
  }

  TEST_CASE("from another file system it is copied, compared and removed, and back") {
    std::string other = other_file_system();
    if (other.empty()) {
      MESSAGE("skipped: there is no second file system at /dev/shm");
      return;
    }
    Folder folder;
    Folder far(other);
    Trash trash(folder / "trash");
    make_skill(far / "pdf", 200'000);
    make_skill(folder / "same", 200'000);
    TrashItem item = take(trash, origin_of(far / "pdf"));
    CHECK_FALSE(exists(far / "pdf"));
    auto same = compare_trees(item.content(), folder / "same");
    CHECK_MESSAGE(same.has_value(), (same ? "" : same.error().message));
    REQUIRE(remove_tree(item.folder));
    make_skill(far / "pdf");

    // What cannot be copied stays where it was, whole, and leaves nothing here.
    REQUIRE(::mkfifo((far / "pdf/pipe").c_str(), 0600) == 0);
    CHECK(trash.take(origin_of(far / "pdf")).error().code == ErrorCode::unsupported);
    CHECK(exists(far / "pdf/pipe"));
    CHECK(read(far / "pdf/scripts/run") == "#!/bin/sh\n");
    CHECK(list(trash).empty());
  }

  TEST_CASE("what is not there, or holds the trash, is not taken") {
    Folder folder;
    Trash trash(folder / "trash");
    CHECK(trash.take(origin_of(folder / "none")).error().code == ErrorCode::not_found);
    CHECK(trash.take(origin_of(folder.path())).error().code == ErrorCode::invalid_argument);
    CHECK_FALSE(exists(folder / "trash"));
  }

  TEST_CASE("after 30 days it goes, not before") {
    Folder folder;
    Trash trash(folder / "trash");
    make_skill(folder / "old");
    make_skill(folder / "young");
    TrashItem old = take(trash, origin_of(folder / "old", k_now - 30 * k_day - 1));
    TrashItem young = take(trash, origin_of(folder / "young", k_now - 30 * k_day));
    auto purged = trash.purge(k_now);
    REQUIRE(purged);
    CHECK(purged->count == 1);
    CHECK(purged->bytes > 0);
    CHECK_FALSE(exists(old.folder));
    CHECK(exists(young.folder));
  }

  TEST_CASE("beyond the size the oldest go, no more than needed, and never the newest") {
    Folder folder;
    Trash trash(folder / "trash");
    for (int i = 0; i < 4; ++i) {
      std::string path = folder / ("s" + std::to_string(i));
      make_skill(path, 100'000);
      take(trash, origin_of(path, k_now + i * 1000));
    }
    auto purged = Trash(folder / "trash", {.bytes = 250'000}).purge(k_now + k_day);
    REQUIRE(purged);
    CHECK(purged->count == 2);
    REQUIRE(list(trash).size() == 2);
    CHECK(list(trash)[0].origin.skill == "s2");
    REQUIRE(Trash(folder / "trash", {.bytes = 1}).purge(k_now + k_day));
    REQUIRE(list(trash).size() == 1);
    CHECK(list(trash)[0].origin.skill == "s3");
  }

  TEST_CASE("what makes it too large sends the oldest away at once, and stays itself") {
    Folder folder;
    // By size alone: what is old goes with the daily purge.
    make_skill(folder / "old", 1'000);
    Trash before(folder / "trash");
    take(before, origin_of(folder / "old", k_now - 40 * k_day));
    Trash trash(folder / "trash", {.bytes = 1'000'000});
    auto taken = [&](const std::string& name, std::size_t bytes, std::int64_t time_ms) {
      make_skill(folder / name, bytes);
      take(trash, origin_of(folder / name, time_ms));
      std::vector<std::string> all;
      for (const TrashItem& item : list(trash)) {
        all.push_back(item.origin.skill);
      }
      return all;
    };
    using Names = std::vector<std::string>;
    CHECK(taken("s1", 300'000, k_now + 1) == Names{"old", "s1"});
    CHECK(taken("s2", 300'000, k_now + 2) == Names{"old", "s1", "s2"});
    CHECK(taken("s3", 300'000, k_now + 3) == Names{"old", "s1", "s2", "s3"});
    CHECK(taken("s4", 300'000, k_now + 4) == Names{"s2", "s3", "s4"});
    CHECK(taken("s5", 900'000, k_now + 5) == Names{"s5"});
    // Nor does a clock that was set back make the one just taken the oldest.
    CHECK(taken("s6", 2'000'000, k_now) == Names{"s6"});
  }

  TEST_CASE("purging follows no link and touches nothing that is not ours") {
    Folder folder;
    Trash trash(folder / "trash");
    write(folder / "precious/file", "precious");
    make_skill(folder / "pdf");
    std::filesystem::create_symlink(folder / "precious", folder / "pdf/out");
    std::filesystem::create_symlink("..", folder / "pdf/scripts/loop");
    REQUIRE(::chmod((folder / "pdf/scripts").c_str(), 0500) == 0);
    take(trash, origin_of(folder / "pdf"));
    write(folder / "trash/a person's/note", "mine");
    write(folder / "trash/20200101T000000Z-x-1", "a file of that form");
    std::filesystem::create_symlink(folder / "precious", folder / "trash/20200101T000000Z-y-1");
    auto purged = trash.purge(k_now + 31 * k_day);
    REQUIRE(purged);
    CHECK(purged->count == 1);
    CHECK(purged->problems.empty());
    CHECK(read(folder / "precious/file") == "precious");
    CHECK(read(folder / "trash/a person's/note") == "mine");
    CHECK(exists(folder / "trash/20200101T000000Z-x-1"));
    CHECK(exists(folder / "trash/20200101T000000Z-y-1"));
  }

  TEST_CASE("an item whose origin is lost is still shown, and goes in its time") {
    Folder folder;
    Trash trash(folder / "trash");
    make_skill(folder / "p-d-f");
    TrashItem item = take(trash, origin_of(folder / "p-d-f"));
    std::string text;
    SUBCASE("empty") {}
    SUBCASE("no object") {
      text = "[1,2]";
    }
    SUBCASE("no JSON") {
      text = "{\"path\": ";
    }
    SUBCASE("deep") {
      text = std::string(100'000, '[');
    }
    SUBCASE("other types") {
      text = R"({"path": 7, "time_ms": "x", "skill": {"a": []}})";
    }
    write(item.folder + "/origin.json", text);
    REQUIRE(list(trash).size() == 1);
    TrashItem seen = list(trash)[0];
    CHECK(seen.origin.skill == "p-d-f");
    CHECK(seen.origin.time_ms == k_now);
    CHECK(seen.has_content);
    CHECK(trash.purge(k_now + 30 * k_day).value().count == 0);
    CHECK(trash.purge(k_now + 30 * k_day + 1).value().count == 1);
  }

  TEST_CASE("what an interrupted move left goes after an hour") {
    Folder folder;
    Trash trash(folder / "trash");
    make_skill(folder / "a");
    TrashItem item = take(trash, origin_of(folder / "a"));
    REQUIRE(remove_tree(item.content()));
    REQUIRE(list(trash).size() == 1);
    CHECK_FALSE(list(trash)[0].has_content);
    CHECK(trash.purge(k_now + 1000).value().count == 0);
    CHECK(trash.purge(k_now + 3600 * 1000 + 1).value().count == 1);
    CHECK(list(trash).empty());
  }

  TEST_CASE("folders too deep to walk are reported, and the others still go") {
    Folder folder;
    Trash trash(folder / "trash");
    make_skill(folder / "deep");
    make_skill(folder / "flat");
    std::string inner = folder / "deep";
    for (int i = 0; i < k_max_tree_depth + 5; ++i) {
      inner += "/d";
      REQUIRE(::mkdir(inner.c_str(), 0755) == 0);
    }
    take(trash, origin_of(folder / "deep"));
    take(trash, origin_of(folder / "flat"));
    auto purged = trash.purge(k_now + 31 * k_day);
    REQUIRE(purged);
    CHECK(purged->count == 1);
    REQUIRE_FALSE(purged->problems.empty());
    CHECK(purged->problems[0].code == ErrorCode::too_large);
  }

  TEST_CASE("a trash that may not be written leaves the skill where it is") {
    Folder folder;
    REQUIRE(::chmod(folder.path().c_str(), 0755) == 0);
    make_skill(folder / "pdf");
    {
      AsNobody nobody;
      Trash trash(folder / "trash");
      CHECK(trash.take(origin_of(folder / "pdf")).error().code == ErrorCode::permission);
    }
    CHECK(exists(folder / "pdf/SKILL.md"));
  }
}
