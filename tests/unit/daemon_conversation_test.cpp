#include "daemon/conversation.h"
#include "protocol/base/atomic_file.h"
#include "protocol/mcp/server.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>

using namespace upskill;
using namespace upskill::daemon;
using nlohmann::json;
using tests::TemporaryFolder;

namespace {

// Fails in whatever way it is told to.
struct Broken final : ResourceBackend {
  Error error = {};

  asio::awaitable<Result<mcp::ResourcePage>> list(std::string, RequestContext) override {
    co_return fail(error);
  }

  asio::awaitable<Result<mcp::ResourceTemplatePage>> list_templates(std::string,
                                                                    RequestContext) override {
    co_return fail(error);
  }

  asio::awaitable<Result<mcp::Answer>> read(std::string, RequestContext) override {
    co_return fail(error);
  }
};

// Keeps what a conversation says.
struct Listener final : Conversation::Carrier {
  std::string output = {};

  void say(mcp::CallId, std::string_view bytes) override { output += bytes; }

  void finish(mcp::CallId, std::string_view bytes) override { output += bytes; }

  bool has_room(mcp::CallId) const override { return true; }

  void task_ended() override {}
};

struct World {
  TemporaryFolder folder = {};
  telemetry::Log log = telemetry::Log::open({telemetry::LogLevel::info, folder / "log"}).value();
  asio::io_context io = {};
  telemetry::Counters counters = {};
  Binder binder{log};
  mcp::Server server{mcp::ServerInfo{}};
  Broken broken = {};
  Services services{io, binder, log, counters};
  Listener listener = {};
  Conversation conversation{services, listener, 3, mcp::Session(server, Audience::agents), "p"};

  World() { services.resources = &broken; }

  // The code of the answer to a request whose backend fails so.
  int code(Error error, std::string_view method, const std::string& params = "") {
    broken.error = std::move(error);
    listener.output.clear();
    conversation.protocol().receive(
        R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":{)" + params
            + R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
              R"("io.modelcontextprotocol/clientCapabilities":{}}}})",
        services.outcome);
    conversation.take(services.outcome);
    io.restart();
    io.run();
    return json::parse(listener.output)["error"]["code"];
  }

  std::string logged() const { return read_file(folder / "log", 1u << 20).value(); }
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("Conversation") {
  TEST_CASE("the log has the error behind an answer of -32603, and no other") {
    World world;
    const std::string uri = R"("uri":"skill://a/SKILL.md",)";
    CHECK(world.code({ErrorCode::too_large, "`a` is larger than 16 MiB"}, "resources/read", uri)
          == -32602);
    CHECK(world.code({ErrorCode::refused, "`b` is refused"}, "resources/read", uri) == -32602);
    CHECK(world.code({ErrorCode::permission, "`c` may not be read"}, "resources/read", uri)
          == -31002);
    CHECK(world.code({ErrorCode::busy, "`d` is busy"}, "resources/list") == -31001);
    CHECK(world.logged().empty());
    CHECK(world.code(
              {ErrorCode::io, R"(cannot read `e`: {"api_key":"s3cret"})"}, "resources/read", uri)
          == -32603);
    CHECK(has(world.logged(), ": resources/read failed (io): cannot read `e`"));
    CHECK_FALSE(has(world.logged(), "s3cret"));
    CHECK(world.code({ErrorCode::internal, "two of one name"}, "resources/list") == -32603);
    CHECK(has(world.logged(), ": resources/list failed (internal): two of one name"));
    CHECK(has(world.logged(), "call 3.")); // the session's number
    CHECK_FALSE(has(world.logged(), "larger"));
  }
}
