#include "daemon/binder.h"
#include "tests/support/run_coroutine.h"
#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace upskill;
using namespace upskill::daemon;

namespace {

const MethodInfo& info(std::string_view name) {
  const MethodInfo* found = find_method(name);
  REQUIRE(found != nullptr);
  return *found;
}

asio::awaitable<Result<WaitIdleResult>> answer_slowly(WaitIdleParams params, RequestContext) {
  if (params.timeout_ms < 0) {
    throw std::runtime_error("the key is s3cret");
  }
  co_return WaitIdleResult{SyncState::idle};
}

Result<mcp::Answer> call(Binder& binder, const MethodInfo& method, std::string arguments) {
  asio::io_context io;
  Result<mcp::Answer> answer = fail(ErrorCode::internal, "nothing came");
  auto body = [&]() -> asio::awaitable<void> {
    RequestContext context;
    context.id = "4.2";
    auto task = binder.call_slow(method, arguments, std::move(context));
    answer = co_await std::move(task);
  };
  tests::run_coroutine(io, body());
  return answer;
}

Result<mcp::Answer> call_slow(Binder& binder, std::string arguments) {
  return call(binder, info("wait_idle"), std::move(arguments));
}

std::string structured(const Result<mcp::Answer>& answer) {
  REQUIRE(answer);
  REQUIRE(std::holds_alternative<mcp::ToolAnswer>(*answer));
  return std::get<mcp::ToolAnswer>(*answer).structured;
}

// Asks until it was answered.
asio::awaitable<Result<Asked<WaitIdleResult>>> ask_first(WaitIdleParams, RequestContext context) {
  if (context.input_responses.empty()) {
    mcp::InputRequired required;
    required.state = "shown";
    co_return Asked<WaitIdleResult>(std::move(required));
  }
  co_return Asked<WaitIdleResult>(WaitIdleResult{SyncState::idle});
}

asio::awaitable<Result<mcp::Answer>> say_hello(std::string arguments, RequestContext) {
  mcp::ToolAnswer answer;
  answer.text = "hello " + arguments;
  co_return mcp::Answer(std::move(answer));
}

} // namespace

TEST_SUITE("Binder") {
  TEST_CASE("a quick handler gets its parameters and its result is encoded") {
    telemetry::Log log = telemetry::Log::none();
    Binder binder(log);
    binder.on(k_daemon_logs,
              [](const DaemonLogsParams& params, RequestContext&) -> Result<DaemonLogsResult> {
                return DaemonLogsResult{std::to_string(params.lines), {}};
              });
    RequestContext context;
    CHECK(binder.is_quick(info("daemon_logs")));
    auto answer = binder.call_quick(info("daemon_logs"), R"({"lines":7})", context);
    REQUIRE(answer);
    CHECK(answer->structured == R"({"path":"7","lines":[]})");
    auto wrong = binder.call_quick(info("daemon_logs"), R"({"lines":"7"})", context);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().message == "params.lines: expected an integer");
  }

  TEST_CASE("a slow handler is awaited, and its parameters are checked as well") {
    telemetry::Log log = telemetry::Log::none();
    Binder binder(log);
    binder.on(k_wait_idle, &answer_slowly);
    CHECK_FALSE(binder.is_quick(info("wait_idle")));
    auto answer = call_slow(binder, "{}");
    CHECK(structured(answer) == R"({"state":"idle","problems":0})");
    CHECK(call_slow(binder, R"({"x":1})").error().message == "params.x: is not a known field");
  }

  TEST_CASE("a handler may ask the client first") {
    telemetry::Log log = telemetry::Log::none();
    Binder binder(log);
    binder.on(k_wait_idle, &ask_first);
    Result<mcp::Answer> answer = call_slow(binder, "{}");
    REQUIRE(answer);
    REQUIRE(std::holds_alternative<mcp::InputRequired>(*answer));
    CHECK(std::get<mcp::InputRequired>(*answer).state == "shown");
  }

  TEST_CASE("a tool beside the catalogue answers as it likes") {
    telemetry::Log log = telemetry::Log::none();
    Binder binder(log);
    MethodInfo tool = info("status");
    tool.name = "hello";
    CHECK_FALSE(call(binder, tool, "{}"));
    binder.on_tool(tool, &say_hello);
    CHECK_FALSE(binder.is_quick(tool));
    Result<mcp::Answer> answer = call(binder, tool, R"({"a":1})");
    REQUIRE(answer);
    CHECK(std::get<mcp::ToolAnswer>(*answer).text == R"(hello {"a":1})");
    CHECK_THROWS_AS(binder.on_tool(tool, &say_hello), std::logic_error);
    CHECK_THROWS_AS(binder.on_tool(info("status"), &say_hello), std::logic_error);
    CHECK(binder.missing().size() == catalog().size());
  }

  TEST_CASE("an exception is logged with the request and answered without its details") {
    tests::TemporaryFolder folder;
    auto log = telemetry::Log::open({telemetry::LogLevel::info, folder / "log"});
    REQUIRE(log);
    Binder binder(*log);
    binder.on(k_wait_idle, &answer_slowly);
    binder.on(k_status, [](const NoParams&, RequestContext&) -> Result<StatusResult> {
      throw std::runtime_error("quick failure");
    });
    auto slow = call_slow(binder, R"({"timeout_ms":-1})");
    REQUIRE_FALSE(slow);
    CHECK(slow.error().code == ErrorCode::internal);
    CHECK(slow.error().message.find("s3cret") == std::string::npos);
    RequestContext context;
    context.id = "9.9";
    auto quick = binder.call_quick(info("status"), "{}", context);
    REQUIRE_FALSE(quick);
    CHECK(quick.error().code == ErrorCode::internal);
    std::string text = tests::file_text(folder / "log");
    CHECK(text.find("call 4.2: unhandled exception") != std::string::npos);
    CHECK(text.find("call 9.9: unhandled exception: quick failure") != std::string::npos);
  }

  TEST_CASE("what has no handler is known, and binding twice is a bug") {
    telemetry::Log log = telemetry::Log::none();
    Binder binder(log);
    CHECK(binder.missing().size() == catalog().size());
    binder.on(k_wait_idle, &answer_slowly);
    auto missing = binder.missing();
    CHECK(missing.size() == catalog().size() - 1);
    CHECK(std::find(missing.begin(), missing.end(), "wait_idle") == missing.end());
    CHECK_THROWS_AS(binder.on(k_wait_idle, &answer_slowly), std::logic_error);
    RequestContext context;
    auto answer = binder.call_quick(info("doctor"), "{}", context);
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message == "`doctor` is not offered here");
  }
}
