#include "skills/trace/cursor_words.h"
#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::Format;

namespace {

std::string line(const std::string& role, const std::string& blocks) {
  return R"({"role":")" + role + R"(","message":{"content":[)" + blocks + "]}}\n";
}

std::string user(const std::string& text) {
  return line("user", R"({"type":"text","text":")" + text + "\"}");
}

} // namespace

TEST_CASE("a person's words are taken out of what Cursor wraps them in") {
  CHECK(event_lines(Format::cursor, user("<user_query>\\nFix \\\"it\\\"\\n</user_query>"))
        == std::vector<std::string>{"user/prompt \"Fix \"it\"\""});
  CHECK(event_lines(Format::cursor,
                    user("<attached_files>\\na.cpp\\n</attached_files>\\nsome note\\n"
                         "<user_query>\\none\\n</user_query>\\n<user_query>two</user_query>"))
        == std::vector<std::string>{
            "user/injected \"<attached_files>\na.cpp\n</attached_files>\nsome note\"",
            "user/prompt \"one\"",
            "user/prompt \"two\""});
  CHECK(event_lines(Format::cursor, user("older ones have no wrapper"))
        == std::vector<std::string>{"user/prompt \"older ones have no wrapper\""});
  CHECK(
      event_lines(Format::cursor, user("<system_reminder>\\nplan\\n</system_reminder>"))
      == std::vector<std::string>{"user/injected \"<system_reminder>\nplan\n</system_reminder>\""});
  CHECK(event_lines(Format::cursor, user("<user_query>\\ncut o"))
        == std::vector<std::string>{"user/prompt \"cut o\""});
  CHECK(event_lines(Format::cursor, user("<user_query>  \\n</user_query>")).empty());
}

TEST_CASE("the time that Cursor tells is the record's") {
  std::vector<SeenEvent> events =
      read_events(Format::cursor,
                  user("<timestamp>Tuesday, Mar 3, 2026, 10:15 AM (UTC+1)</timestamp>\\n"
                       "<user_query>\\nHello\\n</user_query>"));
  REQUIRE(events.size() == 1);
  CHECK(events[0].text == "Hello");
  CHECK(events[0].time_ms == 1772529300000); // date -ud 2026-03-03T09:15:00Z +%s
}

TEST_CASE("times as people write them") {
  // date -ud 2026-02-26T16:04:00Z +%s
  CHECK(trace::cursor_time("Thursday, Feb 26, 2026, 11:04 AM (UTC-5)") == 1772121840000);
  CHECK(trace::cursor_time("February 26, 2026, 4:04 PM (UTC)") == 1772121840000);
  CHECK(trace::cursor_time("Thursday, Feb 26, 2026, 9:34 PM (UTC+5:30)") == 1772121840000);
  CHECK(trace::cursor_time("Feb 26, 2026, 12:04 AM (UTC)") == 1772064240000);
  CHECK(!trace::cursor_time("Thursday, Feb 26, 2026, 11:04 AM")); // without a zone
  CHECK(!trace::cursor_time("Feb 30, 2026, 11:04 AM (UTC)"));
  CHECK(!trace::cursor_time("Feb 26, 99999, 11:04 AM (UTC)"));
  CHECK(!trace::cursor_time("yesterday"));
  CHECK(!trace::cursor_time(""));
}

TEST_CASE("an answer of Cursor, its calls, and the end of a turn") {
  std::string bytes = line("assistant",
                           R"({"type":"text","text":"Looking."},{"type":"tool_use","name":"Shell",)"
                           R"("input":{"command":"make"}},{"type":"hologram"})")
                      + "{\"type\":\"turn_ended\",\"status\":\"completed\"}\n{\"type\":\"odd\"}\n";
  CHECK(event_lines(Format::cursor, bytes)
        == std::vector<std::string>{"assistant/text \"Looking.\"",
                                    R"(tool_call/call (Shell) "{"command":"make"}")",
                                    "meta/unknown (hologram)",
                                    "meta/state (turn_ended)",
                                    "meta/unknown (odd)"});
}

TEST_CASE("any prefix of a transcript of Cursor goes on well") {
  std::string bytes = user("<timestamp>x</timestamp><user_query>\\u00fc</user_query>") + "broken{\n"
                      + line("assistant", R"({"type":"text","text":"ok"})")
                      + user("<user_query>last</user_query>");
  bytes.pop_back();
  check_prefixes(Format::cursor, bytes);
}
