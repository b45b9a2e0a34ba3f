#include "skills/document/front_matter.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill::document;

TEST_SUITE_BEGIN("FrontMatterSplit");

TEST_CASE("the parts of a plain file are found") {
  FrontMatterSplit split = split_front_matter("---\nname: a\n---\n# Body\n");
  CHECK(split.state == FenceState::closed);
  CHECK(split.yaml == "name: a\n");
  CHECK(split.body == "# Body\n");
  CHECK(split.yaml_line == 2);
  CHECK_FALSE(split.byte_order_mark);
  CHECK_FALSE(split.opening_blank);
}

TEST_CASE("a byte order mark and CRLF and spaces after the fences do no harm") {
  FrontMatterSplit split = split_front_matter("\xEF\xBB\xBF--- \t\r\nname: a\r\n---  \r\nBody");
  CHECK(split.state == FenceState::closed);
  CHECK(split.yaml == "name: a\r\n");
  CHECK(split.body == "Body");
  CHECK(split.byte_order_mark);
  CHECK(split.opening_blank);
}

TEST_CASE("white space before the opening fence is passed over and counted as lines") {
  FrontMatterSplit split = split_front_matter("\n\n---\nname: a\n---\n");
  CHECK(split.state == FenceState::closed);
  CHECK(split.leading_blank);
  CHECK(split.yaml_line == 4);
}

TEST_CASE("three hyphens inside a value close nothing") {
  FrontMatterSplit split =
      split_front_matter("---\nname: a---b\ndescription: |\n  x\n  ---\n---- no\n---\nBody\n");
  CHECK(split.state == FenceState::closed);
  CHECK(split.body == "Body\n");
}

TEST_CASE("a fence that ends the file closes") {
  CHECK(split_front_matter("---\nname: a\n---").state == FenceState::closed);
  CHECK(split_front_matter("---\n---").state == FenceState::closed);
}

TEST_CASE("a half-written file is unclosed and keeps what follows") {
  FrontMatterSplit split = split_front_matter("---\nname: a\ndescr");
  CHECK(split.state == FenceState::unclosed);
  CHECK(split.yaml == "name: a\ndescr");
  CHECK(split.body.empty());
  CHECK(split_front_matter("---").state == FenceState::unclosed);
}

TEST_CASE("a text without an opening fence is all body") {
  for (std::string text :
       {"", "-", "--", "# Title\n---\n", "----\nname: a\n---\n", "---x\n---\n"}) {
    CAPTURE(text);
    FrontMatterSplit split = split_front_matter(text);
    CHECK(split.state == FenceState::missing);
    CHECK(split.body == text);
  }
}

TEST_CASE("the reference splits on the first two fences anywhere") {
  FrontMatterSplit split = split_as_reference("---\nname: a---b\n---\nBody");
  CHECK(split.state == FenceState::closed);
  CHECK(split.yaml == "\nname: a");
  CHECK(split.body == "b\n---\nBody");
  CHECK(split_as_reference("\xEF\xBB\xBF---\n---\n").state == FenceState::missing);
}

TEST_CASE("most loaders close at any line that begins with three hyphens") {
  std::string text = "---\nname: a\n---- x\ndescription: b\n---\n";
  CHECK(split_at_prefix(text).yaml == "name: a\n");
  CHECK(split_exactly(text).yaml == "name: a\n");
  CHECK(split_front_matter(text).yaml == "name: a\n---- x\ndescription: b\n");
}

TEST_CASE("the exact rule refuses what stands before or after the opening fence") {
  CHECK(split_exactly("---\r\nname: a\r\n---\r\n").state == FenceState::closed);
  CHECK(split_exactly("--- \nname: a\n---\n").state == FenceState::missing);
  CHECK(split_exactly("\n---\nname: a\n---\n").state == FenceState::missing);
  CHECK(split_exactly("\xEF\xBB\xBF---\nname: a\n---\n").state == FenceState::missing);
}

TEST_SUITE_END();
