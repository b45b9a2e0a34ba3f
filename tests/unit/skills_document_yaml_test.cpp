#include "skills/document/yaml.h"
#include "skills/document/yaml_json.h"
#include "skills/document/yaml_library.h"

#include <doctest/doctest.h>

#include <string>

using namespace upskill;
using namespace upskill::document;

namespace {

std::string core_json(std::string_view text) {
  auto document = parse_yaml(text);
  return document ? to_json(document->root, Typing::core) : "error: " + document.error().message;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  while (times-- > 0) {
    out += text;
  }
  return out;
}

} // namespace

TEST_SUITE_BEGIN("Yaml");

TEST_CASE("the core schema types plain scalars only") {
  CHECK(core_json("a: 1\nb: '1'\nc: \"1\"\nd: |\n  1\n") == R"({"a":1,"b":"1","c":"1","d":"1\n"})");
  CHECK(core_json("a: true\nb: False\nc: yes\nd: on\n")
        == R"({"a":true,"b":false,"c":"yes","d":"on"})");
  CHECK(core_json("a:\nb: ~\nc: null\nd: ''\n") == R"({"a":null,"b":null,"c":null,"d":""})");
  CHECK(core_json("a: 2025-01-31\nb: 12:30:00\nc: 1_000\n")
        == R"({"a":"2025-01-31","b":"12:30:00","c":"1_000"})");
}

TEST_CASE("numbers are written as JSON spells them") {
  CHECK(core_json("a: 1.0\nb: .5\nc: 5.\nd: 1e3\ne: +7\nf: 007\n")
        == R"({"a":1.0,"b":0.5,"c":5.0,"d":1e3,"e":7,"f":7})");
  CHECK(core_json("a: 0x1F\nb: 0o17\nc: -0.50\nd: -12\ne: 00.5\n")
        == R"({"a":31,"b":15,"c":-0.50,"d":-12,"e":0.5})");
}

TEST_CASE("what JSON has no number for stays text") {
  CHECK(core_json("a: .inf\nb: -.INF\nc: .nan\nd: 1e999\ne: 0xFFFFFFFFFFFFFFFFFF\n")
        == R"({"a":".inf","b":"-.INF","c":".nan","d":"1e999","e":"0xFFFFFFFFFFFFFFFFFF"})");
  CHECK(core_json("a: " + std::string(400, '9') + "\n")
        == "{\"a\":\"" + std::string(400, '9') + "\"}");
  CHECK(core_json("a: .\nb: e5\nc: 1e\nd: +\ne: 0x\nf: 1.2.3\n")
        == R"({"a":".","b":"e5","c":"1e","d":"+","e":"0x","f":"1.2.3"})");
}

TEST_CASE("as strings every scalar keeps its text") {
  auto document = parse_yaml("version: 1.0\ndate: 2025-01-31\nflag: yes\nnone:\nlist:\n  - 1\n");
  REQUIRE(document);
  CHECK(to_json(document->root, Typing::strings)
        == R"({"version":"1.0","date":"2025-01-31","flag":"yes","none":"","list":["1"]})");
}

TEST_CASE("keys keep their order and a tag for strings is heeded") {
  CHECK(core_json("b: 1\na: {d: 1, c: [x, 2]}\n") == R"({"b":1,"a":{"d":1,"c":["x",2]}})");
  CHECK(core_json("a: !!str 1.0\nb: ! 2\n") == R"({"a":"1.0","b":"2"})");
}

TEST_CASE("strings are escaped and stay on one line") {
  CHECK(core_json("a: \"\\x01 \\\" \\\\ \\n\"\n") == "{\"a\":\"\\u0001 \\\" \\\\ \\n\"}");
  std::string out;
  append_json_string(out, "\xFF");
  CHECK(out == "\"\xEF\xBF\xBD\"");
}

TEST_CASE("an alias repeats its anchor") {
  CHECK(core_json("a: &x [1, 2]\nb: *x\n") == R"({"a":[1,2],"b":[1,2]})");
  CHECK_FALSE(parse_yaml("a: *x\n"));
  CHECK_FALSE(parse_yaml("a: &x [*x]\n"));
}

TEST_CASE("of a repeated key the last value stays and the place is told") {
  auto document = parse_yaml("a: 1\nb: 2\na: 3\n");
  REQUIRE(document);
  CHECK(to_json(document->root, Typing::core) == R"({"a":3,"b":2})");
  CHECK(document->features.duplicate_line == 3);
  CHECK(document->features.duplicate_key == "a");
  CHECK(document->features.duplicate_at_top);
}

TEST_CASE("flow style and tags and anchors are noted with their lines") {
  auto document = parse_yaml("a: 1\nb: [x]\nc: !t x\nd: &n x\n");
  REQUIRE(document);
  CHECK(document->features.flow_line == 2);
  CHECK(document->features.tag_line == 3);
  CHECK(document->features.anchor_line == 4);
}

TEST_CASE("an error names the line of the file") {
  auto document = parse_yaml("name: a\ndescription: Use when: asked\n", 2);
  REQUIRE_FALSE(document);
  CHECK(document.error().message.starts_with("line 3: "));
  CHECK_FALSE(parse_yaml("a: 1\n---\nb: 2\n"));
  CHECK_FALSE(parse_yaml("? [a]\n: b\n"));
}

TEST_CASE("bytes that no YAML may have are refused with their line") {
  for (std::string bad : {std::string("\0", 1),
                          std::string("\x01"),
                          std::string("\xFF"),
                          std::string("\x7F"),
                          std::string("\xC2\x80"),
                          std::string("\xEF\xBF\xBF")}) {
    auto document = parse_yaml("name: a\nb: x" + bad + "y\n");
    REQUIRE_FALSE(document);
    CHECK(document.error().message.starts_with("line 2: a control character"));
  }
}

TEST_CASE("nesting beyond the bound is refused") {
  CHECK_FALSE(parse_yaml(repeated("[", 100'000)));
  CHECK_FALSE(parse_yaml(repeated("{a: ", 20'000)));
  CHECK_FALSE(parse_yaml(repeated("- ", 50'000)));
  CHECK(parse_yaml(repeated("[", 32) + repeated("]", 32)));
  auto deep = parse_yaml(repeated("[", 33) + repeated("]", 33));
  REQUIRE_FALSE(deep);
  CHECK(deep.error().code == ErrorCode::too_large);
}

TEST_CASE("an alias bomb is refused before it goes off") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " ["
            + repeated("*a" + std::to_string(i - 1) + ", ", 10) + "]\n";
  }
  auto document = parse_yaml(bomb);
  REQUIRE_FALSE(document);
  CHECK(document.error().code == ErrorCode::too_large);
  auto wide =
      parse_yaml("a: &a " + std::string(40'000, 'x') + "\nb: [" + repeated("*a, ", 5000) + "]\n");
  REQUIRE_FALSE(wide);
  CHECK(wide.error().code == ErrorCode::too_large);
}

TEST_CASE("too much text or too many empty lines are refused") {
  auto large = parse_yaml("a: " + std::string(20u << 20, 'x') + "\n");
  REQUIRE_FALSE(large);
  CHECK(large.error().code == ErrorCode::too_large);
  CHECK_FALSE(parse_yaml("a: |\n" + std::string(1000, '\n') + "  x\n"));
  CHECK(parse_yaml("a: |\n  y\n" + std::string(200, '\n') + "  x\n"));
}

TEST_CASE("what makes the library slow is refused before it") {
  CHECK_FALSE(parse_yaml("- " + std::string(50'000, '\t')));
  CHECK_FALSE(parse_yaml("- " + std::string(50'000, ' ')));
  CHECK_FALSE(parse_yaml("%" + std::string(50'000, 'x') + "\n"));
  auto directive = parse_yaml("a: 1\n%YAML 1.2\n");
  REQUIRE_FALSE(directive);
  CHECK(directive.error().message == "line 2: a directive has no place in front matter");
}

TEST_CASE("single-quoted text keeps all its quotes and folds its lines") {
  CHECK(core_json("['x''''y', '''''''''''']\n") == R"(["x''y","'''''"])");
  CHECK(core_json("a: ' x  \n\n  y\r\n  z '\n") == R"({"a":" x\ny z "})");
}

TEST_CASE("lines that begin with a space are not folded and lose nothing") {
  CHECK(core_json("a: >\n  x\n\n   y\n\n  z\n") == R"({"a":"x\n\n y\n\nz\n"})");
  CHECK(core_json("a: >-\n  x\n\n   y\nb: [c]\n") == R"({"a":"x\n\n y","b":["c"]})");
  CHECK(core_json("a: |2-\n    x\n\n  y\nb: [c]\n") == R"({"a":"  x\n\ny","b":["c"]})");
  CHECK(core_json("- a: |1 # c > d\n    x\n") == R"([{"a":" x\n"}])");
}

TEST_CASE("double-quoted text is unescaped and folded") {
  CHECK(core_json("a: \"\\u00e9\\x41\\U0001F600\"\n")
        == "{\"a\":\"\xC3\xA9"
           "A\xF0\x9F\x98\x80\"}");
  CHECK(core_json("a: \"x \\\n\n   y\\t\n  z\"\n") == R"({"a":"x \ny\u0009 z"})");
}

TEST_SUITE_END();
