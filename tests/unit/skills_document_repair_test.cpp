#include "skills/document/repair.h"
#include "skills/document/yaml_json.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill::document;

namespace {

std::string repaired_json(std::string_view text) {
  REQUIRE_FALSE(parse_yaml(text));
  auto repaired = repair_yaml(text, 2);
  return repaired ? to_json(repaired->document.root, Typing::core) : "none";
}

} // namespace

TEST_SUITE_BEGIN("repair_yaml");

TEST_CASE("Codex: a description with a colon and a space") {
  std::string text = "name: a\ndescription: Builds kernels: use when asked, isn't it\n";
  CHECK(repaired_json(text)
        == R"({"name":"a","description":"Builds kernels: use when asked, isn't it"})");
  auto repaired = repair_yaml(text, 2);
  REQUIRE(repaired);
  REQUIRE(repaired->repairs.size() == 1);
  CHECK(repaired->repairs[0].key == "description");
  CHECK(repaired->repairs[0].line == 3);
}

TEST_CASE("Codex: an argument hint in angle brackets with a colon") {
  CHECK(repaired_json("name: a\nargument-hint: <duration: e.g. 7d>\n")
        == R"({"name":"a","argument-hint":"<duration: e.g. 7d>"})");
}

TEST_CASE("Codex: a list of tags with an at sign") {
  CHECK(repaired_json("name: a\ntags: [next, @supabase/ssr]\n")
        == R"({"name":"a","tags":"[next, @supabase/ssr]"})");
}

TEST_CASE("values that are right stay as they are") {
  CHECK(repaired_json("name: a\ntags: [x, y]\nversion: 1.0\ndescription: @here\r\n")
        == R"({"name":"a","tags":["x","y"],"version":1.0,"description":"@here"})");
}

TEST_CASE("what is not a plain value on one line is not mended") {
  CHECK(repaired_json("name: a\ndescription: \"open\n") == "none");
  CHECK(repaired_json("name: a\ndescription: one: two\n  three\n") == "none");
  CHECK(repaired_json("name: a\nmetadata:\n  note: one: two\n") == "none");
}

TEST_SUITE_END();
