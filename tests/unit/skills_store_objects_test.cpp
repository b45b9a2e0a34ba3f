#include "skills/store/folder_tree.h"
#include "skills_store_folder.h"
#include "skills_store_versions.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include <array>
#include <random>

using namespace upskill;
using namespace upskill::store;
using namespace store_test;

namespace {

// True when GNU tar is there; its absence is told.
bool have_tar() {
  bool found = std::system("tar --version >/dev/null 2>&1") == 0;
  if (!found) {
    MESSAGE("skipped: there is no `tar` program");
  }
  return found;
}

std::size_t files_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    count += entry.is_directory() ? 0 : 1;
  }
  return count;
}

} // namespace

TEST_SUITE("Objects") {
  TEST_CASE("a version comes back as it went in") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Version version = small_version();
    CHECK_FALSE(objects.contains(version.hash()));
    REQUIRE(objects.put(version.hash(), version.entries()));
    CHECK(objects.contains(version.hash()));
    CHECK(read_back(objects, version.hash()) == version.files);
    CHECK(objects.read_file(version.hash(), "SKILL.md").value() == "# a skill\n");
    CHECK(objects.read_file(version.hash(), "scripts/run").value() == "#!/bin/sh\n");
    CHECK(objects.read_file(version.hash(), "empty").value().empty());
    for (const char* no_file : {"none", "scripts", "link", "zzz"}) {
      CHECK(objects.read_file(version.hash(), no_file).error().code == ErrorCode::not_found);
    }
    CHECK(objects.open_object(sha256("other")).error().code == ErrorCode::not_found);
  }

  TEST_CASE("the name is the hash, and equal versions give equal bytes") {
    Folder folder;
    Objects one = open_objects(folder / "one");
    Objects other = open_objects(folder / "other");
    Version version = small_version();
    REQUIRE(one.put(version.hash(), version.entries()));
    REQUIRE(other.put(version.hash(), version.entries()));
    std::string hex = version.hash().hex();
    std::string name = hex.substr(0, 2) + "/" + hex.substr(2) + ".tar";
    CHECK(one.path_of(version.hash()) == folder / "one/" + name);
    CHECK(read(folder / "one/" + name) == read(folder / "other/" + name));
    CHECK(files_in(folder / "one") == 1);
  }

  TEST_CASE("tar lists and extracts it without us") {
    if (!have_tar()) {
      return;
    }
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Version version = small_version();
    version.add(std::string(120, 'l') + "/" + std::string(90, 'n'), ObjectKind::file, "prefix");
    version.add(std::string(200, 'p') + "/" + std::string(255, 'x'), ObjectKind::file, "pax");
    version.add("far", ObjectKind::link, {}, std::string(120, 'l') + "/" + std::string(90, 'n'));
    version.add("new\nline", ObjectKind::file, "odd");
    REQUIRE(objects.put(version.hash(), version.entries()));
    std::string object = objects.path_of(version.hash());
    REQUIRE(std::system(("tar tf '" + object + "' > '" + folder.path() + "/list' 2> '"
                         + folder.path() + "/errors'")
                            .c_str())
            == 0);
    CHECK(read(folder / "errors").empty());
    std::string list = read(folder / "list");
    CHECK(list.find("SKILL.md\n") != std::string::npos);
    CHECK(list.find("scripts/\n") != std::string::npos);
    CHECK(list.find(std::string(200, 'p') + "/" + std::string(255, 'x') + "\n")
          != std::string::npos);
    REQUIRE(::mkdir((folder / "by tar").c_str(), 0755) == 0);
    REQUIRE(std::system(
                ("umask 022; tar xf '" + object + "' -C '" + folder.path() + "/by tar' 2>/dev/null")
                    .c_str())
            == 0);
    REQUIRE(objects.extract(version.hash(), folder / "by us"));
    auto same = compare_trees(folder / "by tar", folder / "by us");
    CHECK_MESSAGE(same.has_value(), (same ? "" : same.error().message));
    CHECK(read(folder / "by us/scripts/run") == "#!/bin/sh\n");

    struct stat status {};

    REQUIRE(::stat((folder / "by us/scripts/run").c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0755);
  }

  TEST_CASE("random versions come back, and tar reads each of them") {
    bool tar = have_tar();
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    for (unsigned seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      Version version = random_version(seed);
      REQUIRE(objects.put(version.hash(), version.entries()));
      CHECK(read_back(objects, version.hash()) == version.files);
      std::string into = folder / "v" + std::to_string(seed);
      auto extracted = objects.extract(version.hash(), into);
      REQUIRE_MESSAGE(extracted.has_value(), extracted.error().message);
      if (tar && seed % 4 == 0) {
        std::string by_tar = into + "-tar";
        REQUIRE(::mkdir(by_tar.c_str(), 0755) == 0);
        std::string command = "umask 022; LC_ALL=C tar xf '" + objects.path_of(version.hash())
                              + "' -C '" + by_tar + "' 2>/dev/null";
        REQUIRE(std::system(command.c_str()) == 0);
        auto same = compare_trees(by_tar, into);
        CHECK_MESSAGE(same.has_value(), (same ? "" : same.error().message));
      }
    }
    REQUIRE(objects.flush());
  }

  TEST_CASE("files are read from where they lie, and one that changed is refused") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    std::string bytes(300'000, 'b');
    write(folder / "skill/big", bytes);
    ObjectEntry entry{.path = "big", .size = bytes.size(), .content = sha256(bytes)};
    auto opens = [&](const ObjectEntry& asked) -> Result<UniqueFd> {
      return UniqueFd(::open((folder / "skill/" + std::string(asked.path)).c_str(), O_RDONLY));
    };
    Digest hash = sha256("version");
    SUBCASE("as it is") {
      REQUIRE(objects.put(hash, {&entry, 1}, opens));
      CHECK(objects.read_file(hash, "big").value() == bytes);
      return;
    }
    SUBCASE("longer") {
      write(folder / "skill/big", bytes + "b");
    }
    SUBCASE("shorter") {
      write(folder / "skill/big", bytes.substr(1));
    }
    SUBCASE("of the same size") {
      write(folder / "skill/big", std::string(300'000, 'c'));
    }
    CHECK(objects.put(hash, {&entry, 1}, opens).error().code == ErrorCode::changed);
    CHECK_FALSE(objects.contains(hash));
    CHECK(files_in(folder / "objects") == 0);
  }

  TEST_CASE("given bytes must be what the entry says") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    ObjectEntry entry{.path = "a", .size = 1, .bytes = "x", .content = sha256("y")};
    CHECK(objects.put(sha256("v"), {&entry, 1}).error().code == ErrorCode::changed);
    entry.content = sha256("x");
    entry.size = 2;
    CHECK(objects.put(sha256("v"), {&entry, 1}).error().code == ErrorCode::changed);
    entry.bytes = std::nullopt;
    CHECK(objects.put(sha256("v"), {&entry, 1}).error().code == ErrorCode::invalid_argument);
  }

  TEST_CASE("what leads out is not kept") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    std::string deep = "d";
    for (int i = 0; i < 33; ++i) {
      deep += "/d";
    }
    for (std::string path : {std::string(),
                             std::string("/etc/passwd"),
                             std::string("../x"),
                             std::string("a/../../x"),
                             std::string("a//b"),
                             std::string("a/"),
                             std::string("."),
                             std::string("a/./b"),
                             std::string("a\0b", 3),
                             std::string(256, 'n'),
                             deep}) {
      CAPTURE(path);
      ObjectEntry entry{.path = path, .bytes = ""};
      CHECK_FALSE(objects.put(sha256("v"), {&entry, 1}));
    }
    for (std::string target : {std::string(),
                               std::string("/etc"),
                               std::string("../x"),
                               std::string("a/../../x"),
                               std::string("x\0y", 3)}) {
      CAPTURE(target);
      ObjectEntry entry{.path = "link", .kind = ObjectKind::link, .target = target};
      CHECK(objects.put(sha256("v"), {&entry, 1}).error().code == ErrorCode::invalid_argument);
    }
    std::array unsorted{ObjectEntry{.path = "b", .bytes = ""},
                        ObjectEntry{.path = "a", .bytes = ""}};
    CHECK_FALSE(objects.put(sha256("v"), unsorted));
    std::array twice{ObjectEntry{.path = "a", .bytes = ""}, ObjectEntry{.path = "a", .bytes = ""}};
    CHECK_FALSE(objects.put(sha256("v"), twice));
    CHECK(files_in(folder / "objects") == 0);
  }

  TEST_CASE("a file below a link is not written through the link") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    REQUIRE(::mkdir((folder / "out").c_str(), 0755) == 0);
    // `a/up` leads to the skill's folder and `b` on through it: lexically inside, really outside.
    Version version;
    version.add("a", ObjectKind::folder);
    version.add("a/up", ObjectKind::link, {}, "..");
    version.add("b", ObjectKind::link, {}, "a/up/../out");
    version.add("b/written", ObjectKind::file, "escaped");
    REQUIRE(objects.put(version.hash(), version.entries()));
    CHECK_FALSE(objects.extract(version.hash(), folder / "v"));
    CHECK_FALSE(exists(folder / "v"));
    CHECK_FALSE(exists(folder / "out/written"));
  }

  TEST_CASE("it is extracted to a new folder only") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Version version = small_version();
    REQUIRE(objects.put(version.hash(), version.entries()));
    write(folder / "there/mine", "precious");
    CHECK(objects.extract(version.hash(), folder / "there").error().code
          == ErrorCode::already_exists);
    CHECK(read(folder / "there/mine") == "precious");
    CHECK(objects.extract(version.hash(), folder / "no/parent").error().code
          == ErrorCode::not_found);
  }

  TEST_CASE("every cut is found, and so is every flipped bit of a header") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Version version = small_version();
    REQUIRE(objects.put(version.hash(), version.entries()));
    std::string path = objects.path_of(version.hash());
    std::string whole = read(path);
    for (std::size_t size = 0; size < whole.size(); size += 256) {
      CAPTURE(size);
      write(path, whole.substr(0, size));
      auto reader = objects.open_object(version.hash());
      bool failed = !reader;
      while (!failed) {
        auto member = reader->next();
        failed = !member;
        if (member && !*member) {
          break;
        }
      }
      CHECK(failed);
    }
    // The first header: all of its bytes count, through its checksum.
    for (std::size_t at = 0; at < 512; ++at) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ 4);
      write(path, flipped);
      auto reader = objects.open_object(version.hash());
      REQUIRE(reader);
      CHECK_MESSAGE(!reader->next(), at);
    }
  }

  TEST_CASE("random damage never gives more than a skill may hold") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Version version = random_version(7);
    REQUIRE(objects.put(version.hash(), version.entries()));
    std::string path = objects.path_of(version.hash());
    std::string whole = read(path);
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
      std::string damaged = whole;
      for (int i = 0; i < 4; ++i) {
        damaged[random() % damaged.size()] = static_cast<char>(random());
      }
      write(path, damaged);
      auto reader = objects.open_object(version.hash());
      if (!reader) {
        CHECK(reader.error().code == ErrorCode::corrupt); // its end was hit
        continue;
      }
      std::string last;
      for (std::size_t members = 0;; ++members) {
        auto member = reader->next();
        if (!member || !*member) {
          break;
        }
        REQUIRE(members <= version.files.size());
        CHECK(check_object_entry(
            (*member)->path, (*member)->kind, (*member)->size, (*member)->target));
        CHECK((*member)->path > last);
        last = (*member)->path;
        CHECK(reader->bytes().value().size() == (*member)->size);
      }
    }
  }

  TEST_CASE("one cut off by a power failure is written anew by the next put") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Version version = small_version();
    REQUIRE(objects.put(version.hash(), version.entries()));
    const std::string whole = read(objects.path_of(version.hash()));
    std::vector<std::string> damaged;
    for (std::size_t size = 0; size < whole.size(); size += 512) {
      damaged.push_back(whole.substr(0, size));
      damaged.push_back(damaged.back() + std::string(whole.size() - size, '\0'));
    }
    damaged.push_back(whole + std::string(512, '\0'));
    for (const std::string& bytes : damaged) {
      write(objects.path_of(version.hash()), bytes);
      CHECK_FALSE(objects.contains(version.hash()));
      REQUIRE(objects.put(version.hash(), version.entries()));
      CHECK(objects.contains(version.hash()));
      CHECK(read_back(objects, version.hash()) == version.files);
    }
  }

  TEST_CASE("a damaged one is set aside and replaced") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Version version = small_version();
    REQUIRE(objects.put(version.hash(), version.entries()));
    REQUIRE(objects.set_aside(version.hash()));
    CHECK_FALSE(objects.contains(version.hash()));
    REQUIRE(objects.put(version.hash(), version.entries()));
    CHECK(objects.contains(version.hash()));
    CHECK(files_in(folder / "objects") == 2);
  }

  TEST_CASE("a killed put leaves nothing after the next open, a living one is left alone") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Version version = small_version();
    REQUIRE(objects.put(version.hash(), version.entries()));
    ObjectEntry entry{.path = "a"};
    pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      (void)open_objects(folder / "objects")
          .put(
              sha256("v"), {&entry, 1}, [](const ObjectEntry&) -> Result<UniqueFd> { ::_exit(0); });
    }
    REQUIRE(::waitpid(child, nullptr, 0) == child);
    REQUIRE(files_in(folder / "objects/tmp") == 1);
    // Opened while a put of ours is under way: the dead one's file goes, ours stays.
    auto put = objects.put(sha256("w"), {&entry, 1}, [&](const ObjectEntry&) -> Result<UniqueFd> {
      CHECK(files_in(folder / "objects/tmp") == 2);
      Objects other = open_objects(folder / "objects");
      CHECK(files_in(folder / "objects/tmp") == 1);
      return UniqueFd(::open("/dev/null", O_RDONLY));
    });
    CHECK(put);
    CHECK(files_in(folder / "objects/tmp") == 0);
    CHECK(objects.contains(sha256("w")));
    CHECK(objects.contains(version.hash()));
  }

  TEST_CASE("only what nothing names and is old enough is removed") {
    Folder folder;
    Objects objects = open_objects(folder / "objects");
    Version live = random_version(1);
    Version old = random_version(2);
    Version young = random_version(3);
    for (const Version* version : {&live, &old, &young}) {
      REQUIRE(objects.put(version->hash(), version->entries()));
    }
    write(folder / "objects/README", "a person's");
    write(folder / "objects/zz/odd.tar", "a person's");
    for (const Version* version : {&live, &old}) {
      timespec times[2]{{1'000, 0}, {1'000, 0}};
      REQUIRE(::utimensat(AT_FDCWD, objects.path_of(version->hash()).c_str(), times, 0) == 0);
    }
    auto removed = objects.remove_unreferenced({live.hash()}, 2'000'000);
    REQUIRE(removed);
    CHECK(removed->count == 1);
    CHECK(removed->bytes > 0);
    CHECK(objects.contains(live.hash()));
    CHECK_FALSE(objects.contains(old.hash()));
    CHECK(objects.contains(young.hash()));
    CHECK(exists(folder / "objects/README"));
    CHECK(exists(folder / "objects/zz/odd.tar"));
    // Putting again what is there makes it young.
    REQUIRE(objects.put(live.hash(), live.entries()));
    CHECK(objects.remove_unreferenced({}, 2'000'000).value().count == 0);
  }

  TEST_CASE("a store that may not be written is told as permission and can be read") {
    Folder folder;
    Version version = small_version();
    {
      Objects objects = open_objects(folder / "objects");
      REQUIRE(objects.put(version.hash(), version.entries()));
    }
    REQUIRE(std::system(("chmod -R a+rX,a-w '" + folder.path() + "'").c_str()) == 0);
    {
      AsNobody nobody;
      Objects objects = open_objects(folder / "objects");
      Digest other = sha256("other");
      ObjectEntry entry{.path = "a", .bytes = ""};
      CHECK(objects.put(other, {&entry, 1}).error().code == ErrorCode::permission);
      CHECK(read_back(objects, version.hash()) == version.files);
    }
    REQUIRE(std::system(("chmod -R u+w '" + folder.path() + "'").c_str()) == 0);
  }

  TEST_CASE("no space left is told as such and leaves nothing behind") {
    Folder folder;
    std::string small = folder / "small";
    REQUIRE(::mkdir(small.c_str(), 0755) == 0);
    if (::mount("tmpfs", small.c_str(), "tmpfs", 0, "size=256k") != 0) {
      MESSAGE("skipped: a small file system can only be mounted by root");
      return;
    }
    {
      Objects objects = open_objects(small + "/objects");
      Version version = small_version();
      REQUIRE(objects.put(version.hash(), version.entries()));
      std::string bytes(1u << 20, 'x');
      ObjectEntry entry{.path = "big", .size = bytes.size(), .bytes = bytes};
      CHECK(objects.put(sha256("big"), {&entry, 1}).error().code == ErrorCode::no_space);
      CHECK(files_in(small) == 1);
      CHECK(read_back(objects, version.hash()) == version.files);
    }
    CHECK(::umount2(small.c_str(), MNT_DETACH) == 0);
  }
}
