#include "skills/store/conflict_folders.h"
#include "skills_store_folder.h"
#include "skills_store_versions.h"

#include <array>

using namespace upskill;
using namespace upskill::store;
using namespace store_test;

namespace {

constexpr std::int64_t k_now = 1'795'240'570'000; // 2026-11-21 05:56:10 UTC

Digest put_version(Objects& objects, const std::string& text) {
  Version version = small_version();
  version.add("SKILL.md", ObjectKind::file, text);
  REQUIRE(objects.put(version.hash(), version.entries()));
  return version.hash();
}

} // namespace

TEST_SUITE("ConflictFolders") {
  TEST_CASE("losing versions become folders a person can read") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    std::array losers{put_version(objects, "one"), put_version(objects, "other")};
    ConflictFolders conflicts(folder / "conflicts");
    auto kept = conflicts.keep(objects, losers, "pdf", "both were edited", k_now);
    REQUIRE(kept);
    CHECK(kept->folder == folder / "conflicts/20261121T055610Z-pdf-1");
    REQUIRE(kept->stored.size() == 2);
    CHECK(kept->stored[0] == kept->folder + "/" + losers[0].brief());
    CHECK(read(kept->stored[0] + "/SKILL.md") == "one");
    CHECK(read(kept->stored[1] + "/SKILL.md") == "other");
    std::string readme = read(kept->folder + "/README.txt");
    CHECK(readme.find("both were edited") != std::string::npos);
    CHECK(readme.find(losers[1].hex()) != std::string::npos);

    auto again = conflicts.keep(objects, losers, "pdf", "again", k_now);
    REQUIRE(again);
    CHECK(again->folder == folder / "conflicts/20261121T055610Z-pdf-2");
    REQUIRE(conflicts.remove(kept->folder));
    CHECK_FALSE(exists(kept->folder));
    CHECK(exists(again->folder));
    CHECK(conflicts.remove(kept->folder).error().code == ErrorCode::not_found);
  }

  TEST_CASE("the same version found twice is kept once") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Digest hash = put_version(objects, "one");
    ConflictFolders conflicts(folder / "conflicts");
    auto kept = conflicts.keep(objects, std::array{hash, hash}, "pdf", "x", k_now);
    REQUIRE(kept);
    CHECK(kept->stored[0] == kept->stored[1]);
  }

  TEST_CASE("a version that is not in the store leaves nothing half done") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    std::array losers{put_version(objects, "one"), sha256("nowhere")};
    ConflictFolders conflicts(folder / "conflicts");
    CHECK(conflicts.keep(objects, losers, "pdf", "x", k_now).error().code == ErrorCode::not_found);
    CHECK(std::filesystem::is_empty(folder / "conflicts"));
  }

  TEST_CASE("what an interrupted keep left goes when it is old") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Digest hash = put_version(objects, "one");
    write(folder / "conflicts/.new-abc/SKILL.md", "half");
    ConflictFolders conflicts(folder / "conflicts");
    // Its time is now by the system's clock: before that it is young, long after it is old.
    REQUIRE(conflicts.keep(objects, {&hash, 1}, "pdf", "x", 0));
    CHECK(exists(folder / "conflicts/.new-abc"));
    REQUIRE(conflicts.keep(objects, {&hash, 1}, "pdf", "x", 4'000'000'000'000));
    CHECK_FALSE(exists(folder / "conflicts/.new-abc"));
  }

  TEST_CASE("only its own folders are removed") {
    Folder folder;
    ConflictFolders conflicts(folder / "conflicts");
    write(folder / "conflicts/mine/note", "mine");
    write(folder / "20261121T055610Z-pdf-1/note", "mine");
    for (std::string path : {folder / "conflicts/mine",
                             folder / "20261121T055610Z-pdf-1",
                             folder / "conflicts/../20261121T055610Z-pdf-1",
                             folder.path()}) {
      CHECK(conflicts.remove(path).error().code == ErrorCode::not_found);
    }
    CHECK(exists(folder / "20261121T055610Z-pdf-1/note"));
  }
}
