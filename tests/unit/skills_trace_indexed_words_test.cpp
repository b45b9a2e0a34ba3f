#include "protocol/base/utf8.h"
#include "skills/trace/parser.h"
#include "skills/trace/summary.h"
#include "tests/support/claude_session.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::tests;
using namespace upskill::trace;

TEST_CASE("of a long text its beginning and its end are searched, and a mark says so") {
  IndexedWords words(64);
  words.add("one");
  words.add("");
  words.add("two");
  CHECK(words.text() == "one\ntwo");
  words.add("three four five six seven eight nine ten");
  CHECK(words.text() == "one\ntwo\nthree four five six seven eight nine ten");
  words.add("the end");
  words.add("and more");
  CHECK(words.text().size() == 64);
  CHECK(words.text()
        == "one\ntwo\nthree four five six seve\n\u2026\nt nine ten\nthe end\nand more");
}

TEST_CASE("no code point is cut where a long text is") {
  for (std::size_t limit = 20; limit < 30; ++limit) {
    IndexedWords words(limit);
    for (int i = 0; i < 20; ++i) {
      words.add("\u00fc\u20ac");
      CHECK(is_utf8(words.text()));
      CHECK(words.text().size() <= limit);
    }
  }
}

TEST_CASE("the last prompts of a session of 600 KB are found, wherever reading went on") {
  ClaudeSession session;
  std::vector<std::uint64_t> borders;
  for (int i = 0; i < 300; ++i) {
    borders.push_back(session.prompt("prompt" + std::to_string(i) + " " + std::string(2000, 'x')));
  }
  auto take = [](Summary& summary, std::string_view bytes, std::uint64_t offset) {
    TraceParser parser(Format::claude, offset);
    parser.take(bytes.substr(offset), summary);
    parser.finish(summary);
  };
  Summary whole(Format::claude);
  take(whole, session.bytes, 0);
  std::string prompts = whole.summary().index.prompts;
  CHECK(prompts.starts_with("prompt0 "));
  CHECK(prompts.find("prompt299 ") != std::string::npos);
  CHECK(prompts.find("prompt150 ") == std::string::npos);
  for (std::size_t border : {std::size_t{5}, std::size_t{24}, std::size_t{290}}) {
    Summary beginning(Format::claude);
    take(beginning, std::string_view(session.bytes).substr(0, borders[border]), 0);
    Result<Summary> rest = Summary::restored(beginning.saved(), Format::claude);
    REQUIRE(rest);
    take(*rest, session.bytes, borders[border]);
    CHECK(rest->summary() == whole.summary());
  }
}
