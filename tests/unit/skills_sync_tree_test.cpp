#include "skills/sync/tree.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace upskill;
using namespace upskill::sync;

namespace {

Entry file(std::string path, std::string_view bytes, EntryKind kind = EntryKind::file) {
  return {.path = std::move(path), .kind = kind, .content = sha256(bytes), .size = bytes.size()};
}

Entry folder(std::string path) {
  return {.path = std::move(path), .kind = EntryKind::folder};
}

Entry link_to(std::string path, std::string target) {
  Digest content = sha256(target);
  return {.path = std::move(path),
          .kind = EntryKind::link,
          .content = content,
          .target = std::move(target)};
}

Tree sample() {
  return Tree({folder("scripts"),
               file("scripts/build.sh", "#!/bin/sh\n", EntryKind::executable),
               file("SKILL.md", "---\nname: a\n---\n"),
               link_to("scripts/make", "build.sh"),
               file("empty", ""),
               file("scripts.md", std::string(300, 'x'))});
}

Tree random_tree(std::mt19937_64& random) {
  std::vector<Entry> entries;
  for (std::uint64_t i = random() % 12; i > 0; --i) {
    std::string path = "p" + std::to_string(i) + std::string(random() % 200, 'q');
    switch (random() % 4) {
    case 0:
      entries.push_back(folder(path));
      break;
    case 1:
      entries.push_back(link_to(path, "t" + std::string(random() % 9, '.')));
      break;
    default:
      entries.push_back(file(path,
                             std::string(random() % 400, 'z'),
                             random() % 2 == 0 ? EntryKind::file : EntryKind::executable));
    }
  }
  return Tree(std::move(entries));
}

} // namespace

TEST_SUITE("Tree") {
  TEST_CASE("a record with a path or a link that leaves the skill is damaged") {
    for (const char* path : {"../x", "/etc/passwd", "a//b", "a/./b", "a/..", ""}) {
      CAPTURE(path);
      CHECK_FALSE(Tree::parse(Tree({file(path, "x")}).serialize()));
    }
    CHECK_FALSE(Tree::parse(Tree({link_to("a", "../x")}).serialize()));
    CHECK_FALSE(Tree::parse(Tree({link_to("a", "/etc/passwd")}).serialize()));
    CHECK_FALSE(Tree::parse(Tree({link_to("a", "b/../../x")}).serialize()));
    CHECK(Tree::parse(Tree({link_to("a/b", "../x")}).serialize()));
  }

  TEST_CASE("entries are sorted bytewise, whatever order they came in") {
    std::vector<std::string> paths;
    Tree tree = sample();
    for (const Entry& entry : tree.entries()) {
      paths.push_back(entry.path);
    }
    CHECK(paths
          == std::vector<std::string>{
              "SKILL.md", "empty", "scripts", "scripts.md", "scripts/build.sh", "scripts/make"});
    std::vector<Entry> reversed = tree.entries();
    std::ranges::reverse(reversed);
    CHECK(Tree(reversed) == tree);
    CHECK(Tree(reversed).hash() == tree.hash());
  }

  TEST_CASE("an entry is found by its whole path only") {
    Tree tree = sample();
    REQUIRE(tree.find("scripts/make") != nullptr);
    CHECK(tree.find("scripts/make")->target == "build.sh");
    CHECK(tree.find("scripts/mak") == nullptr);
    CHECK(tree.find("scripts/") == nullptr);
    CHECK(tree.find("") == nullptr);
    CHECK(Tree().find("SKILL.md") == nullptr);
  }

  TEST_CASE("bytes counts files and nothing else") {
    CHECK(sample().bytes() == 10 + 16 + 0 + 300);
    CHECK(Tree().bytes() == 0);
  }

  TEST_CASE("complete means a SKILL.md or skill.md that is a file and not empty") {
    CHECK(sample().is_complete());
    CHECK(Tree({file("skill.md", "x")}).is_complete());
    CHECK_FALSE(Tree({file("SKILL.md", "")}).is_complete());
    CHECK_FALSE(Tree({folder("SKILL.md")}).is_complete());
    CHECK_FALSE(Tree({file("docs/SKILL.md", "x")}).is_complete());
    CHECK_FALSE(Tree().is_complete());
    CHECK(skill_file(Tree({file("skill.md", "x"), file("SKILL.md", "x")})) == "SKILL.md");
    CHECK(skill_file(Tree({folder("SKILL.md"), file("skill.md", "x")})) == "skill.md");
    CHECK(skill_file(Tree({file("readme", "x")})).empty());
  }

  TEST_CASE("the hash tells every difference that is propagated") {
    std::vector<Tree> different{
        Tree(),
        Tree({file("a", "b")}),
        Tree({file("a", "b", EntryKind::executable)}),
        Tree({file("a", "c")}),
        Tree({file("b", "b")}),
        Tree({folder("a")}),
        Tree({link_to("a", "b")}),
        Tree({link_to("a", "c")}),
        Tree({file("a", "b"), file("c", "d")}),
        Tree({file("ab", "")}),
        Tree({link_to("ab", "c")}),
        Tree({link_to("a", "bc")}),
        Tree({folder("a"), folder("b")}),
        Tree({folder("ab")}),
    };
    for (std::size_t i = 0; i < different.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        CAPTURE(i);
        CAPTURE(j);
        CHECK(different[i].hash() != different[j].hash());
      }
    }
  }

  TEST_CASE("the hash is the framed SHA-256 that other programs can repeat") {
    Sha256 sha;
    sha.update_number(2);
    sha.update_framed("a");
    sha.update_number(2); // a file
    sha.update_number(1); // of one byte
    Digest content = sha256("b");
    sha.update({reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()});
    sha.update_framed("l");
    sha.update_number(4); // a link
    sha.update_framed("a");
    CHECK(Tree({file("a", "b"), link_to("l", "a")}).hash() == sha.finish());
  }

  TEST_CASE("a record gives the tree back") {
    for (const Tree& tree : {Tree(), sample(), Tree({folder("only")})}) {
      auto back = Tree::parse(tree.serialize());
      REQUIRE(back);
      CHECK(*back == tree);
      CHECK(back->hash() == tree.hash());
    }
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 300; ++round) {
      Tree tree = random_tree(random);
      auto back = Tree::parse(tree.serialize());
      REQUIRE(back);
      REQUIRE(*back == tree);
    }
  }

  TEST_CASE("a record that was cut, extended or is of another version is corrupt") {
    std::string record = sample().serialize();
    for (std::size_t length = 0; length < record.size(); ++length) {
      CAPTURE(length);
      auto tree = Tree::parse(std::string_view(record).substr(0, length));
      REQUIRE_FALSE(tree);
      REQUIRE(tree.error().code == ErrorCode::corrupt);
    }
    CHECK_FALSE(Tree::parse(record + '\0'));
    record[0] = 2;
    CHECK_FALSE(Tree::parse(record));
  }

  TEST_CASE("a record whose paths are out of order or repeated is corrupt") {
    std::string one = Tree({folder("a")}).serialize();
    std::string entry = one.substr(2);
    CHECK(Tree::parse(std::string("\x01\x01", 2) + entry));
    CHECK_FALSE(Tree::parse(std::string("\x01\x02", 2) + entry + entry));
    std::string later = Tree({folder("b")}).serialize().substr(2);
    CHECK(Tree::parse(std::string("\x01\x02", 2) + entry + later));
    CHECK_FALSE(Tree::parse(std::string("\x01\x02", 2) + later + entry));
  }

  TEST_CASE("a count or a length that the record cannot hold takes no memory") {
    std::string huge("\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11);
    CHECK_FALSE(Tree::parse(huge));
    std::string long_path("\x01\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
    CHECK_FALSE(Tree::parse(long_path));
    std::string endless(64, '\xff');
    endless[0] = 1;
    CHECK_FALSE(Tree::parse(endless));
  }

  TEST_CASE("random damage gives an error or another tree, never a crash") {
    std::uint64_t seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    for (int round = 0; round < 5000; ++round) {
      Tree tree = round % 2 == 0 ? sample() : random_tree(random);
      std::string record = tree.serialize();
      for (std::uint64_t edits = 1 + random() % 4; edits > 0 && !record.empty(); --edits) {
        std::size_t at = random() % record.size();
        switch (random() % 3) {
        case 0:
          record[at] = static_cast<char>(random());
          break;
        case 1:
          record.erase(at, 1 + random() % 5);
          break;
        default:
          record.insert(at, 1, static_cast<char>(random()));
        }
      }
      auto damaged = Tree::parse(record);
      if (damaged) {
        // What is read is a tree like any other.
        auto again = Tree::parse(damaged->serialize());
        REQUIRE(again);
        REQUIRE(*again == *damaged);
      } else {
        REQUIRE(damaged.error().code == ErrorCode::corrupt);
      }
    }
  }
}
