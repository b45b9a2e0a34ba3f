#include "protocol/base/json_escape.h"
#include "protocol/base/utf8.h"

#include <doctest/doctest.h>

#include <cstdio>

using namespace upskill;

namespace {

std::string unescaped(std::string_view raw) {
  std::string out;
  append_json_unescaped(out, raw);
  return out;
}

std::string written(unsigned unit) {
  char text[8];
  std::snprintf(text, sizeof text, "\\u%04X", unit);
  return text;
}

} // namespace

TEST_CASE("the escapes of RFC 8259") {
  CHECK(unescaped(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
  CHECK(unescaped(R"(a\u0041b)") == "aAb");
  CHECK(unescaped(R"(\u00e9\u20AC)") == "é€");
  CHECK(unescaped(R"(\ud834\udd1e)") == "\xF0\x9D\x84\x9E"); // the G clef of section 7
  CHECK(unescaped(R"(\u0000)") == std::string(1, '\0'));
}

TEST_CASE("what is no escape stays as it is") {
  for (const char* text :
       {"", "plain", R"(\)", R"(\x41)", R"(\u12)", R"(\u12G4)", R"(\U0041)", R"(\u+123)"}) {
    CHECK(unescaped(text) == text);
    CHECK(read_json_escape(text).length == 0);
  }
  CHECK(unescaped(R"(\u12\n)") == "\\u12\n");
}

TEST_CASE("half a surrogate pair is U+FFFD, and takes nothing with it") {
  CHECK(unescaped(R"(\ud834)") == "\uFFFD");
  CHECK(unescaped(R"(\udd1e)") == "\uFFFD");
  CHECK(unescaped(R"(\ud834\n)") == "\uFFFD\n");
  CHECK(unescaped(R"(\ud834\ud834\udd1e)") == "\uFFFD\xF0\x9D\x84\x9E");
  CHECK(read_json_escape(R"(\ud834\u0041)").is_half_pair());
  CHECK(read_json_escape(R"(\ud834\u0041)").length == 6);
}

TEST_CASE("every code point, as escapes and as UTF-8") {
  for (char32_t point = 0; point <= 0x10FFFF; ++point) {
    if (point >= 0xD800 && point <= 0xDFFF) {
      continue;
    }
    std::string said;
    append_code_point(said, point);
    bool is_pair = point >= 0x10000;
    auto rest = static_cast<unsigned>(is_pair ? point - 0x10000 : point);
    std::string raw =
        is_pair ? written(0xD800 + (rest >> 10)) + written(0xDC00 + (rest & 0x3FF)) : written(rest);
    bool is_right = is_utf8(said) && code_points(said) == 1 && said.size() == utf8_size(point)
                    && unescaped(raw) == said && read_json_escape(raw).length == raw.size();
    if (!is_right) {
      FAIL("code point " << static_cast<unsigned>(point));
    }
  }
  for (char32_t none : {char32_t{0xD800}, char32_t{0xDFFF}, char32_t{0x110000}}) {
    std::string said;
    append_code_point(said, none);
    CHECK(said == "\uFFFD");
    CHECK(utf8_size(none) == 3);
  }
}
