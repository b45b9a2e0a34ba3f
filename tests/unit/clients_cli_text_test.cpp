#include "clients/cli/character_width.h"
#include "clients/cli/text.h"

#include <doctest/doctest.h>

using namespace upskill::cli;

TEST_SUITE("clean_line") {
  TEST_CASE("takes escape sequences out whole") {
    CHECK(clean_line("a\x1b[31mred\x1b[0mb") == "aredb");
    CHECK(clean_line("a\x1b]0;title\x07"
                     "b")
          == "ab");
    CHECK(clean_line("a\x1b]8;;http://x\x1b\\b") == "ab");
    CHECK(clean_line("a\x1bPq\x1b\\b") == "ab");
    CHECK(clean_line("a\x1b"
                     "cb")
          == "ab");
    CHECK(clean_line("a\x1b[31") == "a");
    CHECK(clean_line("a\x1b") == "a");
  }

  TEST_CASE("takes control characters and deceptive ones out") {
    CHECK(clean_line("a\r\b\x07\x7f"
                     "b")
          == "ab");
    CHECK(clean_line("a\xC2\x9B"
                     "31mb")
          == "a31mb"); // C1 control sequence introducer
    CHECK(clean_line("a\xE2\x80\xAE"
                     "b")
          == "ab"); // right-to-left override
    CHECK(clean_line("a\xF3\xA0\x81\x81"
                     "b")
          == "ab"); // tag character
  }

  TEST_CASE("makes one line, or keeps the lines") {
    CHECK(clean_line("a\n\tb") == "a  b");
    CHECK(clean_block("a\n\tb\x1b[2J") == "a\n    b");
  }

  TEST_CASE("replaces what is not UTF-8") {
    CHECK(clean_line("a\xFF") == "a\xEF\xBF\xBD");
  }
}

TEST_SUITE("display_width") {
  TEST_CASE("counts columns, not bytes or code points") {
    CHECK(display_width("abc") == 3);
    CHECK(display_width("é") == 1);
    CHECK(display_width("e\xCC\x81") == 1); // combining acute
    CHECK(display_width("技能") == 4);
    CHECK(display_width("한국") == 4);
    CHECK(display_width("😀") == 2);
    CHECK(display_width("навык") == 5);
    CHECK(character_width(U'Ａ') == 2); // fullwidth
    CHECK(character_width(0xAD) == 0);  // soft hyphen
  }
}

TEST_SUITE("cut and wrap") {
  TEST_CASE("cuts at a column and never through a wide character") {
    CHECK(cut("abcdef", 6, "…") == "abcdef");
    CHECK(cut("abcdef", 5, "…") == "abcd…");
    CHECK(cut("abcdef", 5, "...") == "ab...");
    CHECK(cut("技能技能", 6, "…") == "技能…");
    CHECK(cut("ab cdef", 4, "…") == "ab…");
    CHECK(cut("abc", 0, "…").empty());
  }

  TEST_CASE("wraps at spaces and breaks a word that is too long") {
    CHECK(wrap("one two three", 8) == std::vector<std::string>{"one two", "three"});
    CHECK(wrap("abcdefgh", 3) == std::vector<std::string>{"abc", "def", "gh"});
    CHECK(wrap("技能技", 4) == std::vector<std::string>{"技能", "技"});
    CHECK(wrap("see `upskill sync now`, then", 16)
          == std::vector<std::string>{"see `upskill", "sync now`, then"});
    CHECK(wrap("see `upskill sync now`, then", 20)
          == std::vector<std::string>{"see", "`upskill sync now`,", "then"});
    CHECK(wrap("a lone ` is no harm", 8) == std::vector<std::string>{"a lone `", "is no", "harm"});
    CHECK(wrap("", 10) == std::vector<std::string>{""});
    CHECK(wrap("  a   b ", 10) == std::vector<std::string>{"a b"});
  }
}

TEST_SUITE("numbers for people") {
  TEST_CASE("read as people write them") {
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(-1234567) == "-1,234,567");
    CHECK(count(1, "skill", "skills") == "1 skill");
    CHECK(count(0, "skill", "skills") == "0 skills");
    CHECK(human_bytes(1023) == "1023 B");
    CHECK(human_bytes(1536) == "1.5 KB");
    CHECK(human_bytes(20 << 20) == "20 MB");
    CHECK(human_duration(59.9) == "59 s");
    CHECK(human_duration(3599) == "59 min");
    CHECK(human_duration(7500) == "2 h 5 min");
    CHECK(human_duration(4 * 86400.0) == "4 days");
    CHECK(human_duration(-1) == "0 s");
    CHECK(human_time("2026-11-21T05:51:36Z") == "2026-11-21 05:51");
    CHECK(human_time("soon") == "soon");
  }
}
