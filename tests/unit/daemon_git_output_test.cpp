#include "daemon/git/git_output.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace upskill;
using namespace upskill::git;
using namespace std::string_view_literals;

TEST_SUITE("git_output") {
  TEST_CASE("changes are read with their fates") {
    auto read = read_name_status("M\0a\0A\0b/c\0D\0d\0T\0link\0U\0unmerged\0"sv);
    REQUIRE(read);
    REQUIRE(read->size() == 5);
    CHECK((*read)[0] == FileChange{FileFate::changed, "a"});
    CHECK((*read)[1] == FileChange{FileFate::added, "b/c"});
    CHECK((*read)[2] == FileChange{FileFate::removed, "d"});
    CHECK((*read)[3] == FileChange{FileFate::changed, "link"});
    CHECK((*read)[4] == FileChange{FileFate::changed, "unmerged"});
  }

  TEST_CASE("a rename has two names, and a copy is a new file") {
    auto read = read_name_status("R087\0old/SKILL.md\0new/SKILL.md\0C100\0x\0y\0M\0z\0"sv);
    REQUIRE(read);
    REQUIRE(read->size() == 3);
    CHECK((*read)[0] == FileChange{FileFate::renamed, "new/SKILL.md", "old/SKILL.md"});
    CHECK((*read)[1] == FileChange{FileFate::added, "y"});
    CHECK((*read)[2] == FileChange{FileFate::changed, "z"});
  }

  TEST_CASE("names may hold anything but a NUL") {
    auto read = read_name_status("M\0a\nA\tb\0D\0 -x\"\xff\\ \0"sv);
    REQUIRE(read);
    REQUIRE(read->size() == 2);
    CHECK((*read)[0].path == "a\nA\tb");
    CHECK((*read)[1].path == " -x\"\xff\\ ");
  }

  TEST_CASE("nothing is no change") {
    CHECK(read_name_status("")->empty());
    CHECK(read_paths("")->empty());
    CHECK(read_tree("")->empty());
  }

  TEST_CASE("what git would not say is refused") {
    for (std::string_view bad : {"M\0"sv,
                                 "M"sv,
                                 "M\0a"sv,
                                 "\0a\0"sv,
                                 "Z\0a\0"sv,
                                 "R100\0a\0"sv,
                                 "M\0/etc/passwd\0"sv,
                                 "M\0a/../../b\0"sv,
                                 "M\0..\0"sv,
                                 "M\0a//b\0"sv,
                                 "M\0./a\0"sv,
                                 "R100\0a\0../b\0"sv}) {
      CAPTURE(bad);
      auto read = read_name_status(bad);
      REQUIRE_FALSE(read);
      CHECK(read.error().code == ErrorCode::corrupt);
    }
    CHECK_FALSE(read_paths("a\0../b\0"sv));
    CHECK_FALSE(read_paths("a"sv));
  }

  TEST_CASE("a folder that is a repository of its own is no file") {
    auto read = read_paths("a b\0nested/\0c\n\0"sv);
    REQUIRE(read);
    CHECK(*read == std::vector<std::string>{"a b", "c\n"});
  }

  TEST_CASE("a tree has sizes, and submodules none") {
    const std::string hash(40, 'a');
    std::string output = "100644 blob " + hash + "      12\ta\tb" + '\0';
    output += "120000 blob " + hash + "       3\tdir/link" + '\0';
    output += "160000 commit " + hash + "       -\tmodule" + '\0';
    auto read = read_tree(output);
    REQUIRE(read);
    REQUIRE(read->size() == 3);
    CHECK((*read)[0] == TreeFile{"a\tb", 12, false}); // only the first tab ends what git says
    CHECK((*read)[1] == TreeFile{"dir/link", 3, false});
    CHECK((*read)[2] == TreeFile{"module", 0, true});
    for (std::string bad : {"100644 blob " + hash + " 12 no tab" + '\0',
                            "100644 blob " + hash + " many\ta" + '\0',
                            "100644 blob " + hash + " 99999999999999999999999\ta" + '\0',
                            "100644 blob " + hash + " 12\t../a" + '\0',
                            "100644 blob " + hash + " 12\ta"}) {
      CAPTURE(bad);
      CHECK_FALSE(read_tree(bad));
    }
  }

  TEST_CASE("folders of a tree have hashes, too") {
    const std::string hash(40, 'a');
    auto read =
        read_entries("040000 tree " + hash + "       -\tdir" + '\0' + "100755 blob " + hash
                     + "      12\tdir/run" + '\0' + "120000 blob " + hash + "       3\tdir/link"
                     + '\0' + "160000 commit " + hash + "       -\tmodule" + '\0');
    REQUIRE(read);
    REQUIRE(read->size() == 4);
    CHECK((*read)[0] == TreeEntry{EntryKind::folder, "dir", hash, 0});
    CHECK((*read)[1] == TreeEntry{EntryKind::file, "dir/run", hash, 12});
    CHECK((*read)[2] == TreeEntry{EntryKind::link, "dir/link", hash, 3});
    CHECK((*read)[3] == TreeEntry{EntryKind::submodule, "module", hash, 0});
    for (std::string bad : {"040000 tree short       -\tdir" + std::string(1, '\0'),
                            "100644 odd " + hash + "       1\tdir" + std::string(1, '\0'),
                            "100644 blob " + hash + "       -\tdir" + std::string(1, '\0')}) {
      CAPTURE(bad);
      CHECK_FALSE(read_entries(bad));
    }
  }

  TEST_CASE("a hash is one of git's") {
    CHECK(*read_hash(std::string(40, '0') + "\n") == std::string(40, '0'));
    CHECK(*read_hash(std::string(64, 'f') + "\nmore") == std::string(64, 'f'));
    CHECK_FALSE(read_hash(""));
    CHECK_FALSE(read_hash(std::string(41, 'a')));
    CHECK_FALSE(read_hash(std::string(40, 'A')));
    CHECK_FALSE(read_hash("--upload-pack=" + std::string(26, 'a')));
  }

  TEST_CASE("a ref is never an option") {
    for (std::string_view good : {"main", "origin/main", "HEAD~2", "v1.0^{}", "feature/ä"}) {
      CAPTURE(good);
      CHECK(check_ref(good));
    }
    for (std::string_view bad : {""sv,
                                 "-"sv,
                                 "--upload-pack=touch x"sv,
                                 "--all"sv,
                                 "a b"sv,
                                 "a\nb"sv,
                                 "a\0b"sv,
                                 "a\x7f"sv}) {
      CAPTURE(bad);
      REQUIRE_FALSE(check_ref(bad));
      CHECK(check_ref(bad).error().code == ErrorCode::invalid_argument);
    }
    CHECK_FALSE(check_ref(std::string(2000, 'a')));
  }
}
