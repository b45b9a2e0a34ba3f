#include "skills/store/trace_query.h"
#include "skills/store/trace_snippet.h"
#include "skills/store/trace_words.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace upskill::store;

namespace {

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (auto word = next_word(text, 0); word; word = next_word(text, word->end)) {
    words.push_back(folded_word(text.substr(word->begin, word->end - word->begin)));
  }
  return words;
}

// The snippet with what is marked in brackets.
std::string shown(const IndexText& text, std::string_view query) {
  Snippet snippet = make_snippet(text, parse_query(query).terms);
  std::string shown = snippet.text;
  for (auto mark = snippet.marks.rbegin(); mark != snippet.marks.rend(); ++mark) {
    shown.insert(mark->begin + mark->length, "]").insert(mark->begin, "[");
  }
  return shown;
}

} // namespace

TEST_SUITE("TextQuery") {
  TEST_CASE("words are runs of letters and digits, without case and accents") {
    CHECK(words_of("file_name.cpp: Caf\u00e9, N\u00c4HE 3x")
          == std::vector<std::string>{"file", "name", "cpp", "cafe", "nahe", "3x"});
    CHECK(words_of("  --- \u2014 \xFF\xFE ").empty());
    CHECK(words_of("abc\u5185\u6838x") == std::vector<std::string>{"abc", "\u5185", "\u6838", "x"});
    CHECK(index_form(std::string_view("a\u5185\u6838\0b\n", 10)) == "a \u5185  \u6838  b ");
  }

  TEST_CASE("words must all be there, quoted ones side by side") {
    TextQuery query = parse_query("nvcc \"invalid  device\" foo_bar.cu");
    CHECK(query.match == R"("nvcc" AND "invalid  device" AND "foo_bar.cu")");
    CHECK(query.terms
          == std::vector<QueryTerm>{{{"nvcc"}}, {{"invalid", "device"}}, {{"foo", "bar", "cu"}}});
  }

  TEST_CASE("what must not be there is taken off, or stands alone") {
    CHECK(parse_query("a -b -\"c d\"").match == R"(("a") NOT ("b" OR "c d"))");
    TextQuery alone = parse_query("-b");
    CHECK(alone.match.empty());
    CHECK(alone.exclude == R"("b")");
    CHECK_FALSE(alone.finds_nothing());
    // Flags are words, and a sign between spaces is none.
    CHECK(parse_query("--max-jobs - 4").match == R"("--max-jobs" AND "4")");
  }

  TEST_CASE("a star finds what begins so, from two letters on") {
    CHECK(parse_query("comp*").match == R"("comp*"*)");
    CHECK(parse_query("\"out of mem\"*").match == R"("out of mem"*)");
    CHECK(parse_query("c*").match == R"("c*")");
    CHECK(parse_query("*.cpp").match == R"("*.cpp")");
    CHECK(parse_query("foo.*").match == R"("foo.*")");
  }

  TEST_CASE("nothing typed is no condition, and no words find nothing") {
    CHECK(parse_query(" \n").is_empty);
    CHECK_FALSE(parse_query(" \n").finds_nothing());
    for (const char* text : {"+++", "\"", "\"\"", "-", "*", "\u2014", "\xFF"}) {
      CAPTURE(text);
      CHECK(parse_query(text).finds_nothing());
    }
    CHECK(parse_query("a \u2014 b").match == R"("a" AND "b")");
  }

  TEST_CASE("what is too long is cut") {
    std::string many;
    for (int i = 0; i < 1000; ++i) {
      many += "w ";
    }
    CHECK(parse_query(many).terms.size() == k_max_query_words);
    CHECK(parse_query("\"" + many + "\" more").terms
          == std::vector<QueryTerm>{{std::vector<std::string>(k_max_query_words, "w")}});
    // A beginning counts as nine words: after three of them there is room for five words.
    std::string beginnings;
    for (int i = 0; i < 10; ++i) {
      beginnings += "ab* ";
    }
    TextQuery query = parse_query(beginnings + many);
    CHECK(std::ranges::count(query.terms, true, &QueryTerm::is_prefix) == 3);
    CHECK(query.terms.size() == 3 + 5);
  }

  TEST_CASE("a snippet shows the first place, on one line, with everything in it marked") {
    IndexText text{.title = "Fix",
                   .prompts = "Please fix the build.\nIt fails in Kernel_Launch.cu since today",
                   .answers = "nvcc failed",
                   .work = "nvcc: error"};
    CHECK(shown(text, "kernel_launch fix")
          == "Please [fix] the build. It fails in [Kernel_Launch].cu since today");
    CHECK(shown(text, "nvcc") == "[nvcc]: error");
    CHECK(shown(text, "fail*").find("It [fails] in") != std::string::npos);
    CHECK(shown(text, "nothing").starts_with("Please fix"));
    CHECK(make_snippet(text, parse_query("nvcc").terms).field == IndexField::work);
  }

  TEST_CASE("a snippet is a window that cuts no letter") {
    std::string prompts;
    for (int i = 0; i < 500; ++i) {
      prompts += "\u00e4\u00f6\u00fc\u5185 ";
    }
    prompts += "needle ";
    prompts += prompts;
    Snippet snippet = make_snippet({.prompts = prompts}, parse_query("needle").terms);
    CHECK(snippet.begins_within);
    CHECK(snippet.ends_within);
    CHECK(snippet.text.size() <= k_snippet);
    CHECK(snippet.text.size() > k_snippet - 4);
    REQUIRE(snippet.marks.size() == 1);
    CHECK(snippet.text.substr(snippet.marks[0].begin, snippet.marks[0].length) == "needle");
    CHECK((static_cast<unsigned char>(snippet.text[0]) & 0xC0) != 0x80);
  }
}
