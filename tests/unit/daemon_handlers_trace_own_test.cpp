#include "daemon/handlers/trace_own.h"
#include "tests/unit/skills_archive_world.h"

using namespace upskill;
using tests::ArchiveWorld;
using tests::ClaudeSession;

namespace {

constexpr std::int64_t k_began_ms = 1'782'900'000'000; // when the sessions begin
constexpr std::int64_t k_minute_ms = 60'000;

// An agent in the folder of these sessions, whose client tells nothing.
daemon::RequestContext in_folder(std::string folder) {
  daemon::RequestContext context;
  context.principal = "agents";
  context.place.folder = std::move(folder);
  context.place.command = std::string("node\0/usr/lib/node_modules/.bin/copilot\0-p", 42);
  return context;
}

// A session of Copilot CLI's, whose client tells nothing: a line a second.
class QuietSession {
public:
  explicit QuietSession(const std::string& id, int minute = 0)
      : m_minute(minute) {
    line("session.start",
         R"({"sessionId":")" + id
             + R"(","version":1,"producer":"copilot-agent","context":{"cwd":"/home/ada/app"}})");
    line("user.message", R"({"content":"Fix the build"})");
    calls("c1", "bash");
    gives("c1");
  }

  void calls(const std::string& id, const std::string& tool) {
    line("assistant.message",
         R"({"messageId":"m)" + id
             + R"(","model":"m1","content":"","toolRequests":[{"toolCallId":")" + id
             + R"(","name":")" + tool + R"(","arguments":{},"type":"function"}]})");
  }

  void gives(const std::string& id) {
    line("tool.execution_complete",
         R"({"toolCallId":")" + id + R"(","success":true,"result":{"content":"ok"}})");
  }

  std::string bytes = {};

private:
  void line(const std::string& type, const std::string& data) {
    const std::string number = std::to_string(++m_count);
    bytes += R"({"type":")" + type + R"(","data":)" + data + R"(,"id":"u)" + number
             + R"(","timestamp":"2026-07-01T10:0)" + std::to_string(m_minute) + ":0" + number
             + ".000Z\"}\n";
  }

  int m_minute;
  int m_count = 0;
};

void keep(ArchiveWorld& world, const std::string& id, const QuietSession& session) {
  store::SessionRow row = world.keep(world.put(id + "/events.jsonl", session.bytes)).row;
  REQUIRE(row.session == id);
  REQUIRE(row.harness == "github-copilot");
}

Result<std::string> own(ArchiveWorld& world,
                        const daemon::RequestContext& context,
                        std::int64_t now_ms = k_began_ms + k_minute_ms) {
  TRY_ASSIGN(store::SessionRow row, daemon::find_own(world.archive, context, now_ms));
  return row.session;
}

} // namespace

TEST_SUITE("trace_own") {
  TEST_CASE("who tells nothing is known by the folder, where one session is at work") {
    ArchiveWorld world;
    const daemon::RequestContext here = in_folder("/home/ada/app");
    CHECK(own(world, here).error().code == ErrorCode::not_found);
    keep(world, "s1", QuietSession("s1"));
    CHECK(tests::value_of(own(world, here)) == "s1");
    // Not above, below or beside it, and not for a session of before.
    CHECK(own(world, in_folder("/home/ada")).error().code == ErrorCode::not_found);
    CHECK(own(world, in_folder("/home/ada/app/src")).error().code == ErrorCode::not_found);
    CHECK(own(world, in_folder("")).error().code == ErrorCode::invalid_argument);
    // Those of an agent that tells its session are never meant.
    ClaudeSession telling("s2");
    telling.prompt("Fix the build");
    world.keep(world.put("s2.jsonl", telling.bytes));
    CHECK(tests::value_of(own(world, here)) == "s1");
    CHECK(own(world, here, k_began_ms + 11 * k_minute_ms).error().code == ErrorCode::not_found);
  }

  TEST_CASE("of several sessions it is the one that waits for us, or none") {
    ArchiveWorld world;
    const daemon::RequestContext here = in_folder("/home/ada/app");
    QuietSession waits("s1");
    waits.calls("t1", "upskill-trace_read");
    QuietSession has_waited("s2");
    has_waited.calls("t2", "upskill-trace_read");
    has_waited.gives("t2");
    has_waited.calls("t3", "others-trace_read");
    keep(world, "s2", has_waited);
    keep(world, "s3", QuietSession("s3"));
    Result<std::string> unknown = own(world, here);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == ErrorCode::invalid_argument);
    CHECK(unknown.error().hint.find("`s2`") != std::string::npos);
    CHECK(unknown.error().hint.find("`s3`") != std::string::npos);
    keep(world, "s1", waits);
    CHECK(tests::value_of(own(world, here)) == "s1");
  }

  TEST_CASE("what was over before the agent began is another's") {
    ArchiveWorld world;
    keep(world, "s1", QuietSession("s1"));
    keep(world, "s2", QuietSession("s2", 2));
    daemon::RequestContext context = in_folder("/home/ada/app");
    const std::int64_t now_ms = k_began_ms + 3 * k_minute_ms;
    CHECK(own(world, context, now_ms).error().code == ErrorCode::invalid_argument);
    context.place.began_ms = k_began_ms + k_minute_ms;
    CHECK(tests::value_of(own(world, context, now_ms)) == "s2");
  }

  TEST_CASE("of another program only a session that waits for us") {
    ArchiveWorld world;
    daemon::RequestContext here = in_folder("/home/ada/app");
    keep(world, "s1", QuietSession("s1"));
    using namespace std::string_literals;
    for (const std::string& command :
         {"gemini"s, "node\0/opt/copilots/index.js"s, "/bin/mycopilot"s, ""s}) {
      CAPTURE(command);
      here.place.command = command;
      CHECK(own(world, here).error().code == ErrorCode::not_found);
    }
    for (const std::string& command : {"copilot"s, "node\0/x/@github/copilot/index.js"s}) {
      CAPTURE(command);
      here.place.command = command;
      CHECK(tests::value_of(own(world, here)) == "s1");
    }
    here.place.command = "gemini";
    QuietSession waits("s2");
    waits.calls("t1", "upskill-trace_read");
    keep(world, "s2", waits);
    CHECK(tests::value_of(own(world, here)) == "s2");
    // It was given up: something happened in this run, and the call was of the one before.
    here.place.began_ms = k_began_ms + 5'500;
    waits.gives("c1");
    keep(world, "s2", waits);
    CHECK(own(world, here).error().code == ErrorCode::not_found);
  }

  TEST_CASE("what a client tells comes before its folder") {
    ArchiveWorld world;
    keep(world, "s1", QuietSession("s1"));
    keep(world, "s2", QuietSession("s2"));
    daemon::RequestContext context = in_folder("/home/ada/app");
    context.origin.session = "s2";
    CHECK(tests::value_of(own(world, context)) == "s2");
    context.origin.session = "s9";
    CHECK(own(world, context).error().code == ErrorCode::not_found);
  }
}
