#include "skills/trace/section_splitter.h"
#include "tests/support/trace_events.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::tests;
using trace::Format;
using trace::Speaker;

namespace {

Speaker speaker_of(std::string_view line) {
  std::size_t words = 0;
  return trace::speaker_of_text_line(line, words);
}

std::string words_of(std::string_view line) {
  std::size_t words = 0;
  trace::speaker_of_text_line(line, words);
  return std::string(line.substr(words));
}

} // namespace

TEST_CASE("who speaks is told by the start of a line") {
  CHECK(speaker_of("User: hi") == Speaker::user);
  CHECK(speaker_of("Human:") == Speaker::user);
  CHECK(speaker_of("You: hi\r\n") == Speaker::user);
  CHECK(speaker_of("**User:** hi") == Speaker::user);
  CHECK(speaker_of("**User**: hi") == Speaker::user);
  CHECK(speaker_of("### User") == Speaker::user);
  CHECK(speaker_of("## 	User:") == Speaker::nobody);
  CHECK(speaker_of("[USER]: hi") == Speaker::user);
  CHECK(speaker_of("AI: hi") == Speaker::assistant);
  CHECK(speaker_of("# Assistant") == Speaker::assistant);
  CHECK(speaker_of("**Claude**") == Speaker::assistant);
  CHECK(speaker_of("Tool result: 1") == Speaker::tool);
  CHECK(speaker_of("System: be kind") == Speaker::instructions);
  CHECK(words_of("**Assistant:** I will") == "I will");
  CHECK(words_of("User:") == "");
}

TEST_CASE("most lines with such a word are nobody's") {
  CHECK(speaker_of("user") == Speaker::nobody);
  CHECK(speaker_of("User stories: none") == Speaker::nobody);
  CHECK(speaker_of("### User guide") == Speaker::nobody);
  CHECK(speaker_of("**User** is a table") == Speaker::nobody);
  CHECK(speaker_of("a User: x") == Speaker::nobody);
  CHECK(speaker_of("#User") == Speaker::nobody);
  CHECK(speaker_of("Username: ada") == Speaker::nobody);
  CHECK(speaker_of(": x") == Speaker::nobody);
  CHECK(speaker_of("###") == Speaker::nobody);
  CHECK(speaker_of("") == Speaker::nobody);
}

TEST_CASE("a text without speakers is paragraphs, each in its place") {
  std::string bytes = "\n\nFirst line\nsecond line\n\r\n \nNext\n";
  std::vector<SeenEvent> events = read_events(Format::text, bytes);
  REQUIRE(events.size() == 2);
  CHECK(events[0].line() == "meta/text \"First line\nsecond line\"");
  CHECK(events[0].offset == 2);
  CHECK(events[0].length == 22);
  CHECK(events[1].text == "Next");
  CHECK(events[1].offset == bytes.find("Next"));
  check_prefixes(Format::text, bytes);
}

TEST_CASE("what a speaker says goes on until the next speaks") {
  std::string bytes = "A talk about builds\n\nUser: Fix\nit\n\nAssistant: I look.\n\nIt prints:\n\n"
                      "  error\n\nTool: Exit code 2\nno rule\nSystem: be kind\n### Human\nThanks";
  CHECK(event_lines(Format::text, bytes)
        == std::vector<std::string>{"meta/text \"A talk about builds\"",
                                    "user/prompt \"Fix\nit\"",
                                    "assistant/text \"I look.\n\nIt prints:\n\n  error\"",
                                    "tool_result/result \"Exit code 2\nno rule\"",
                                    "meta/instructions \"be kind\"",
                                    "user/prompt \"Thanks\""});
  CHECK(read_events(Format::text, bytes)[3].exit_code == 2);
  check_prefixes(Format::text, bytes);
  // The last line is a section of its own, though it may yet become another.
  CHECK(event_lines(Format::text, "User: a\nAI: b")
        == std::vector<std::string>{"user/prompt \"a\"", "assistant/text \"b\""});
}

TEST_CASE("a paragraph and a section over 8 MiB are several records that begin where they begin") {
  std::string line(1000, 'x');
  line += '\n';
  std::string huge;
  for (int i = 0; i < 9000; ++i) {
    huge += line;
  }
  std::string bytes = huge + "\nUser: " + huge + "\nAI: end\n" + std::string(9u << 20, 'y');
  std::vector<SeenEvent> events = read_events(Format::text, bytes);
  REQUIRE(events.size() == 7);
  std::uint64_t full = (8u << 20) / 1001 * 1001;
  CHECK(events[0].length == full - 1);
  CHECK(events[1].offset == full);
  CHECK(events[1].length == huge.size() - full - 1);
  CHECK(events[2].line().starts_with("user/prompt \"xxx"));
  CHECK(events[3].line().starts_with("meta/text \"xxx")); // whose it is stands before
  CHECK(events[4].line() == "assistant/text \"end\"");
  CHECK(events[5].length == 8u << 20); // in the middle of a line, where there is no other place
  CHECK(events[6].text == std::string(1u << 20, 'y'));
  // However the bytes come.
  trace::TraceParser parser(Format::text);
  SeenEvents seen;
  for (std::size_t at = 0; at < bytes.size(); at += 77'777) {
    parser.take(std::string_view(bytes).substr(at, 77'777), seen);
  }
  parser.finish(seen);
  CHECK(seen.events == events);
}

TEST_CASE("bytes that are no text stay a text") {
  CHECK(event_lines(Format::text, std::string_view("a\xFF\0b", 4))
        == std::vector<std::string>{std::string("meta/text \"a\xEF\xBF\xBD\0b\"", 18)});
  CHECK(event_lines(Format::text, "").empty());
  CHECK(event_lines(Format::text, "User:\n\nAI:\n").empty());
  CHECK(event_lines(Format::text, " \n\t\n").empty());
  check_prefixes(Format::text, "  begins with blanks\n \n  and again");
}
