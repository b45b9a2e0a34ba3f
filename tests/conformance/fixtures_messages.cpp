#include "daemon/await.h"
#include "daemon/runtime/timers.h"
#include "tests/conformance/fixtures.h"
#include "tests/conformance/fixtures_reply.h"

#include <chrono>

namespace upskill::conformance {
namespace {

// Ten messages a second are passed on, at most.
constexpr std::chrono::milliseconds k_pause{120};

Reply report_progress(std::string, RequestContext context) {
  context.progress(0, 100, "");
  AWAIT_DONE(runtime::wait_for(k_pause));
  context.progress(50, 100, "");
  AWAIT_DONE(runtime::wait_for(k_pause));
  context.progress(100, 100, "");
  co_return text_answer("Tool with progress executed successfully");
}

Reply log_steps(std::string, RequestContext context) {
  context.log(mcp::LogLevel::info, "fixtures", R"("Tool execution started")");
  AWAIT_DONE(runtime::wait_for(k_pause));
  context.log(mcp::LogLevel::info, "fixtures", R"("Tool processing data")");
  AWAIT_DONE(runtime::wait_for(k_pause));
  context.log(mcp::LogLevel::info, "fixtures", R"("Tool execution completed")");
  co_return text_answer("Tool with logging executed successfully");
}

Reply log_once(std::string, RequestContext context) {
  context.log(mcp::LogLevel::info, "fixtures", R"("This is for those who asked")");
  co_return text_answer("It has logged what may be logged");
}

Reply answer_late(std::string, RequestContext context) {
  context.release();
  AWAIT_DONE(runtime::wait_for(k_pause));
  co_return text_answer("Reconnection test completed successfully");
}

// What it has to ask must come as a result, never as a request on the stream of its messages.
Reply ask_amid_messages(std::string, RequestContext context) {
  context.progress(1, 2, "before the question");
  if (accepted(context.input_responses, "topic", "topic")) {
    co_return text_answer("Streaming elicitation completed");
  }
  mcp::InputRequired required;
  required.requests.push_back(elicitation(
      "topic",
      "What is it about?",
      R"({"type":"object","properties":{"topic":{"type":"string"}},"required":["topic"]})"));
  co_return mcp::Answer(std::move(required));
}

Reply tell_all(const daemon::EngineContext* context, mcp::Change::Kind list) {
  context->tell({list});
  co_return text_answer("All who listen have been told");
}

Tool trigger(std::string_view name,
             std::string_view summary,
             const daemon::EngineContext& context,
             mcp::Change::Kind list) {
  auto handler = [&context, list](std::string, RequestContext) { return tell_all(&context, list); };
  return {tool_info(name, summary), handler};
}

} // namespace

std::vector<Tool> message_tools(const daemon::EngineContext& context) {
  return {
      {tool_info("test_tool_with_progress", "Reports progress."), &report_progress},
      {tool_info("test_tool_with_logging", "Logs three messages."), &log_steps},
      {tool_info("test_logging_tool", "Logs a message for whoever asked."), &log_once},
      {tool_info("test_reconnection", "Answers after its stream is gone."), &answer_late},
      {tool_info("test_streaming_elicitation", "Reports progress and asks."), &ask_amid_messages},
      trigger("test_trigger_tool_change",
              "Tells that the tools have changed, which they have not.",
              context,
              mcp::Change::tool_list),
      trigger("test_trigger_prompt_change",
              "Tells that the prompts have changed, which they have not.",
              context,
              mcp::Change::prompt_list)};
}

} // namespace upskill::conformance
