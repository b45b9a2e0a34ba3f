#include "skills/trace/format.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace upskill;
using trace::Format;

namespace {

Format format_of(std::string_view head) {
  return trace::detect_format(head, true);
}

} // namespace

TEST_CASE("what is no text is no trace, whatever its name") {
  CHECK(trace::why_no_trace("", Format::text) == "it is empty");
  CHECK(trace::why_no_trace(std::string_view("\x7F"
                                             "ELF\2\1\1\0\0",
                                             9),
                            Format::text)
        == "it is no text");
  CHECK(trace::why_no_trace("\x01\x8f\x03 picture \x05\x90\x7F", Format::text) == "it is no text");
  CHECK(!trace::why_no_trace("\x1b[32mok\x1b[0m\tcaf\xE9\r\n\f",
                             Format::text)); // a terminal's, Latin-1
  CHECK(!trace::why_no_trace("{}", Format::json));
  CHECK(!trace::why_no_trace(std::string_view("{\"type\":\"user\"}\n\0\0", 18), Format::claude));
}

TEST_CASE("formats whose records are lines are known by any of their first lines") {
  CHECK(format_of(R"({"type":"user","message":{},"uuid":"u","sessionId":"s"})") == Format::claude);
  CHECK(format_of(R"({"type":"summary","summary":"x","leafUuid":"u"})") == Format::claude);
  CHECK(format_of(R"({"type":"file-history-snapshot","snapshot":{}})") == Format::claude);
  CHECK(format_of(R"({"timestamp":"t","type":"session_meta","payload":{"id":"s"}})")
        == Format::codex);
  CHECK(format_of(R"({"timestamp":"t","ordinal":0,"type":"event_msg","payload":{}})")
        == Format::codex);
  CHECK(format_of(R"({"sessionId":"s","projectHash":"9f","startTime":"t"})") == Format::gemini);
  CHECK(format_of(R"({"id":"m","timestamp":"t","type":"gemini","content":""})") == Format::gemini);
  CHECK(format_of(R"({"$rewindTo":"m"})") == Format::gemini);
  CHECK(format_of(R"({"type":"session.start","data":{},"id":"e","timestamp":"t"})")
        == Format::copilot);
  CHECK(format_of(R"({"role":"user","message":{"content":[]}})") == Format::cursor);
  CHECK(format_of(R"({"type":"session","version":3,"id":"s","cwd":"/"})") == Format::pi);
  CHECK(format_of(R"({"type":"session","harness":"pi","id":"s"})") == Format::sts);
}

TEST_CASE("formats that are one document are known by its members") {
  CHECK(format_of(R"({"sessionId":"s","projectHash":"9f","messages":[]})")
        == Format::gemini_document);
  CHECK(format_of(R"({"info":{"id":"ses"},"messages":[]})") == Format::opencode);
  CHECK(format_of(R"({"messages":[{"role":"user"}]})") == Format::fast_agent);
  CHECK(format_of(R"({"schema_version":"ATIF-v1.7","steps":[]})") == Format::atif);
}

TEST_CASE("a document is known though its end is not there") {
  std::string head = R"({"sessionId":"s","projectHash":"9f","messages":[{"id":"m","content":")"
                     + std::string(1000, 'x');
  CHECK(trace::detect_format(head, false) == Format::gemini_document);
}

TEST_CASE("formats that are no JSON") {
  CHECK(format_of("<!-- Claude Code Session 1f -->\n\n_**User (t)**_\n\nFix it\n")
        == Format::specstory);
  CHECK(format_of(std::string_view("SQLite format 3\0...", 19)) == Format::opencode_database);
  CHECK(format_of("just words") == Format::text);
  CHECK(format_of("") == Format::text);
  CHECK(format_of(R"({"a":1})") == Format::json);
  CHECK(format_of("[1,2]") == Format::json);
}

TEST_CASE("content decides where a name would mislead, and a mark of byte order does not") {
  // Pretty-printed Gemini JSON lay under a name of Claude Code's (facts: traces.md, 1.1).
  CHECK(format_of("{\n  \"sessionId\": \"s\",\n  \"projectHash\": \"9f\",\n  \"messages\": []\n}\n")
        == Format::gemini_document);
  CHECK(format_of("\xEF\xBB\xBF{\"type\":\"session.start\",\"data\":{},\"timestamp\":\"t\"}")
        == Format::copilot);
}

TEST_CASE("lines that say nothing are passed over, and two on one line are two") {
  CHECK(format_of("{\"type\":\"x\"}\n\n{\"timestamp\":\"t\",\"type\":\"turn_context\","
                  "\"payload\":{}}\n")
        == Format::codex);
  CHECK(format_of(R"({"a":1}{"$rewindTo":"m"})") == Format::gemini);
}

TEST_CASE("formats that can be gone on with are lines") {
  CHECK(trace::is_line_format(Format::codex));
  CHECK(trace::is_line_format(Format::copilot));
  CHECK(trace::is_line_format(Format::gemini));
  CHECK(!trace::is_line_format(Format::gemini_document));
}
