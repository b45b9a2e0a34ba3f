#include "skills/trace/copies.h"
#include "tests/support/codex_fork.h"
#include "tests/support/trace_events.h"

using namespace upskill;
using namespace upskill::tests;
using trace::Format;

namespace {

using Lines = std::vector<std::string>;

std::string record(const std::string& type, const std::string& payload) {
  return R"({"timestamp":"2026-07-01T10:00:00.250Z","type":")" + type + R"(","payload":)" + payload
         + "}\n";
}

std::string head(const std::string& session) {
  return record("session_meta", R"({"id":")" + session + R"("})");
}

// As Codex writes one: the turn begins before its context is told, and its words come between.
std::string turn(const std::string& id, const std::string& words) {
  return record("event_msg", R"({"type":"task_started","turn_id":")" + id + R"("})")
         + record("event_msg", R"({"type":"user_message","message":")" + words + R"("})")
         + record("turn_context", R"({"turn_id":")" + id + R"("})")
         + record("response_item",
                  R"({"type":"message","role":"assistant","content":[)"
                  R"({"type":"output_text","text":"Did )"
                      + words + R"("}]})");
}

// The words that are left of sessions, read one after the other.
class Reading {
public:
  Lines words_of(Format format, const std::string& bytes) {
    SeenEvents left;
    trace::DropCopies drop(format, m_seen, left);
    trace::TraceParser parser(format);
    parser.take(bytes, drop);
    parser.finish(drop);
    Lines words;
    for (const SeenEvent& event : left.events) {
      if (!event.text.empty()) {
        words.push_back(event.text);
      }
    }
    return words;
  }

private:
  trace::RecentIds m_seen = {};
};

} // namespace

TEST_CASE("a fork of Codex begins at the first turn that its parent lacks") {
  Reading reading;
  std::string shared = turn("t1", "one") + turn("t2", "two");
  CHECK(reading.words_of(Format::codex, head("s1") + shared + turn("t3", "three"))
        == Lines{"one", "Did one", "two", "Did two", "three", "Did three"});
  CHECK(reading.words_of(Format::codex, head("s2") + head("s1") + shared + turn("t4", "four"))
        == Lines{"four", "Did four"});
  CHECK(reading.words_of(Format::codex,
                         head("s3") + head("s2") + shared + turn("t4", "four") + turn("t5", "five"))
        == Lines{"five", "Did five"});
}

TEST_CASE("a session is whole though its fork was read before it") {
  Reading reading;
  reading.words_of(Format::codex, fork_of_codex());
  CHECK(reading.words_of(Format::codex,
                         head(k_parent) + turn(k_old_turn, "one") + turn(k_older_turn, "two"))
        == Lines{"one", "Did one", "two", "Did two"});
}

TEST_CASE("a record that its own session writes again is no copy") {
  std::string first = R"({"id":"m1","timestamp":"2026-07-01T10:00:01Z","type":"gemini",)"
                      R"("content":"I will"})"
                      "\n";
  Reading reading;
  CHECK(reading.words_of(Format::gemini, first + first).size() == 2); // the next stage's
  CHECK(reading.words_of(Format::gemini, first).empty());
}

TEST_CASE("a turn that a session comes back to is its own") {
  Reading reading;
  CHECK(reading.words_of(Format::codex,
                         head("s1") + turn("t1", "one") + turn("t2", "two") + turn("t1", "more"))
        == Lines{"one", "Did one", "two", "Did two", "more", "Did more"});
}

TEST_CASE("sessions that share nothing, or name no turns, stay whole") {
  Reading reading;
  CHECK(reading.words_of(Format::codex, head("s1") + turn("t1", "one")).size() == 2);
  CHECK(reading.words_of(Format::codex, head("s2") + turn("t2", "one")).size() == 2);
  std::string old = record("event_msg", R"({"type":"user_message","message":"one"})")
                    + record("turn_context", R"({"model":"gpt-5"})");
  CHECK(reading.words_of(Format::codex, head("s3") + old) == Lines{"one"});
  CHECK(reading.words_of(Format::codex, head("s4") + old) == Lines{"one"});
}

TEST_CASE("turns that other programs count are no copies of each other") {
  Reading reading;
  std::string event = R"({"type":"user.message","data":{"content":"one","turnId":"0"}})"
                      "\n";
  CHECK(reading.words_of(Format::copilot, event) == Lines{"one"});
  CHECK(reading.words_of(Format::copilot, event) == Lines{"one"});
}

TEST_CASE("records with ids are known by them, across files and not within one record") {
  auto prompt = [](const std::string& id, const std::string& text) {
    return R"({"type":"user","uuid":")" + id
           + R"(","sessionId":"s","message":{"role":"user","content":[{"type":"text","text":")"
           + text + R"("},{"type":"text","text":"and this"}]}})" + "\n";
  };
  Reading reading;
  CHECK(reading.words_of(Format::claude, prompt("u1", "one")) == Lines{"one", "and this"});
  CHECK(reading.words_of(Format::claude, prompt("u1", "one") + prompt("u2", "two"))
        == Lines{"two", "and this"});
  CHECK(reading.words_of(Format::codex, head("s1") + turn("u1", "three")).size() == 2);
}
