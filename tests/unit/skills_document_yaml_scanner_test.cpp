#include "skills/document/yaml_json.h"
#include "skills/document/yaml_library.h"
#include "skills/document/yaml_scanner.h"

#include <doctest/doctest.h>

#include <array>
#include <random>
#include <string>

using namespace upskill::document;

namespace {

// Pieces that matter to YAML, so that random texts come near its rules.
constexpr auto k_pieces = std::to_array<std::string_view>({"name",
                                                           "description",
                                                           "metadata",
                                                           "a",
                                                           "b-c",
                                                           "_x",
                                                           ": ",
                                                           ":",
                                                           "\n",
                                                           "\n",
                                                           "\n  ",
                                                           "\n    ",
                                                           " ",
                                                           "  ",
                                                           "x",
                                                           "foo bar",
                                                           "'",
                                                           "''",
                                                           "\"",
                                                           "\\n",
                                                           "\\\"",
                                                           "|",
                                                           "|-",
                                                           "|+",
                                                           ">",
                                                           ">-",
                                                           ">+",
                                                           "- ",
                                                           "-",
                                                           "#",
                                                           " #",
                                                           "# c",
                                                           "\r\n",
                                                           "\t",
                                                           "~",
                                                           "null",
                                                           "1.0",
                                                           "\xC3\xA9",
                                                           "[a]",
                                                           "{",
                                                           "}",
                                                           "]",
                                                           ",",
                                                           "&a",
                                                           "*a",
                                                           "!",
                                                           "%",
                                                           "@",
                                                           "`",
                                                           "?",
                                                           "---",
                                                           "...",
                                                           "\n\n",
                                                           "\n \n",
                                                           "a: b\n",
                                                           "k: |\n  x\n",
                                                           "k: >\n  x\n  y\n",
                                                           "m:\n  a: 1\n  b: 'q'\n",
                                                           "l:\n  - a\n  - b\n",
                                                           "l:\n- a\n- \"b\"\n",
                                                           "x: y # c\n",
                                                           "\xE2\x80\xA8",
                                                           "\xC2\x85",
                                                           "\xEF\xBB\xBF"});

std::string random_text(std::mt19937& random) {
  auto below = [&](std::size_t bound) { return random() % bound; };
  std::string text = below(4) != 0 ? "name: v\n" : "";
  for (std::size_t count = 1 + below(12); count > 0; --count) {
    text += k_pieces[below(k_pieces.size())];
  }
  return below(8) != 0 ? text + "\n" : text;
}

bool scans(std::string_view text) {
  return scan_yaml(text).has_value();
}

} // namespace

TEST_SUITE_BEGIN("scan_yaml");

TEST_CASE("the usual front matter needs no library") {
  CHECK(scans("name: a\ndescription: Builds things. Use when asked.\n"));
  CHECK(scans("name: a\r\ndescription: 'it''s'\r\nlicense: \"MIT\"\r\n"));
  CHECK(
      scans("# c\nname: a\n\ndescription: >-\n  one\n  two\n\n  three\nmetadata:\n  version: 1\n"));
  CHECK(scans("name: a\ntags:\n  - x\n  - \"y\"\nallowed-tools: Bash(git:*) Read\n"));
}

TEST_CASE("what leaves the subset is left to the library") {
  for (std::string text : {"",
                           "# only a comment\n",
                           "name: [a]\n",
                           "name: a # b\n",
                           "name: a: b\n",
                           "name: a\n  b\n",
                           "name: \"a\n  b\"\n",
                           "name: \"\\u0041\"\n",
                           "name: |2\n  a\n",
                           "name: &x a\n",
                           "- a\n",
                           "name: a",
                           "name: a\nname: b\n",
                           "name:\ta\n",
                           " name: a\n",
                           "name: a\n---\n"}) {
    CAPTURE(text);
    CHECK_FALSE(scans(text));
  }
}

TEST_CASE("block scalars are folded and chomped as YAML says") {
  auto text = [](std::string_view yaml) {
    auto root = scan_yaml(yaml);
    REQUIRE(root);
    return root->find("k")->text;
  };
  CHECK(text("k: |\n  a\n\n   b\n\nz: 1\n") == "a\n\n b\n");
  CHECK(text("k: |-\n  a\n\n") == "a");
  CHECK(text("k: |+\n  a\n\n") == "a\n\n");
  CHECK(text("k: >\n  a\n  b\n\n\n  c\n") == "a b\n\nc\n");
}

TEST_CASE("scanner and library agree on random texts") {
  std::mt19937 random(20260809); // a fixed seed: the same texts in every run
  std::size_t scanned = 0;
  for (int i = 0; i < 60'000; ++i) {
    std::string text = random_text(random);
    auto quick = scan_yaml(text);
    if (!quick) {
      continue;
    }
    ++scanned;
    auto slow = parse_with_library(text);
    CAPTURE(text);
    REQUIRE(slow);
    REQUIRE(same_content(*quick, slow->root));
  }
  CHECK(scanned > 500); // else the property says little
}

TEST_CASE("scanner and library agree on columns and lines of mappings") {
  std::string text = "a: x\n\nm:\n   b: 1\n   c:\n      d: 2\nn:\n  e: 3\n";
  auto quick = scan_yaml(text);
  auto slow = parse_with_library(text);
  REQUIRE(quick);
  REQUIRE(slow);
  for (std::string_view key : {"m", "n"}) {
    CHECK(quick->find(key)->line == slow->root.find(key)->line);
    CHECK(quick->find(key)->column == slow->root.find(key)->column);
  }
}

TEST_SUITE_END();
