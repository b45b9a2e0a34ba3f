#include "daemon/models/wire.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace upskill;
using namespace upskill::models;
using Json = nlohmann::json;

namespace {

WireTarget target(Wire wire, std::vector<std::string> left_out = {}) {
  return {.model = {.wire = wire, .id = "m", .effort = "low", .base_url = "http://h/v1"},
          .key = "k-1",
          .left_out = std::move(left_out)};
}

AnswerOrFailure
read(Wire wire, std::string_view body, int status = 200, const Headers& headers = {}) {
  std::unique_ptr<AnswerReader> reader = make_reader(wire);
  if (Result<void> taken = reader->take(body); !taken) {
    return tl::make_unexpected(Failure{.error = taken.error()});
  }
  return reader->finish(status, headers, 0, "h:80", "m");
}

Answer answer(Wire wire, std::string_view body) {
  AnswerOrFailure read_one = read(wire, body);
  REQUIRE_MESSAGE(read_one.has_value(), (read_one ? "" : read_one.error().error.message));
  return *read_one;
}

Failure failure(Wire wire, std::string_view body, int status = 200) {
  AnswerOrFailure read_one = read(wire, body, status);
  REQUIRE_FALSE(read_one.has_value());
  return read_one.error();
}

// However the network cuts a body in two, the answer is the same.
Answer answer_of_any_split(Wire wire, const std::string& body) {
  Answer whole = answer(wire, body);
  for (std::size_t at = 0; at <= body.size(); ++at) {
    CAPTURE(at);
    std::unique_ptr<AnswerReader> reader = make_reader(wire);
    REQUIRE(reader->take(std::string_view(body).substr(0, at)));
    REQUIRE(reader->take(std::string_view(body).substr(at)));
    AnswerOrFailure split = reader->finish(200, {}, 0, "h:80", "m");
    REQUIRE(split.has_value());
    CHECK(*split == whole);
  }
  return whole;
}

Json written(Wire wire, const Request& request, std::vector<std::string> left_out = {}) {
  Result<WireCall> call = write_call(request, target(wire, std::move(left_out)));
  REQUIRE_MESSAGE(call.has_value(), (call ? "" : call.error().message));
  return Json::parse(call->body);
}

Request conversation() {
  return {.system = "be short",
          .messages = {{.text = "hi"},
                       {.role = Role::assistant,
                        .text = "reading",
                        .calls = {{"c1", "read", R"({"path":"a"})"}}},
                       {.results = {{"c1", "no such file", true}}}},
          .tools = {{"read", "reads", R"({"type":"object"})"}},
          .answer_schema = R"({"type":"object"})",
          .max_tokens = 9};
}

constexpr std::string_view k_anthropic_start =
    "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"claude-x\","
    "\"usage\":{\"input_tokens\":5,\"cache_read_input_tokens\":3,\"output_tokens\":1}}}\r\n\r\n"
    "event: ping\r\ndata: {\"type\": \"ping\"}\r\n\r\n"
    "data: "
    "{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
    "data: "
    "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"He\"}}\n\n";
constexpr std::string_view k_anthropic_rest =
    "data: "
    "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"llo\"}}\n\n"
    "data: {\"type\":\"tomorrow\"}\n\n"
    "data: "
    "{\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\","
    "\"name\":\"read\",\"input\":{}}}\n\n"
    "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\","
    "\"partial_json\":\"{\\\"pa\"}}\n\n"
    "data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\","
    "\"partial_json\":\"th\\\":1}\"}}\n\n"
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},"
    "\"usage\":{\"output_tokens\":7}}\n\n";
constexpr std::string_view k_anthropic_stop = "data: {\"type\":\"message_stop\"}\n\n";

} // namespace

TEST_SUITE("Anthropic's wire") {
  TEST_CASE("a request") {
    Json body = written(Wire::anthropic, conversation());
    CHECK(body["system"] == "be short");
    CHECK(body["max_tokens"] == 9);
    CHECK(body["stream"] == true);
    CHECK(body["messages"][1]["content"][1]["input"]["path"] == "a");
    CHECK(body["messages"][2]["content"][0]["is_error"] == true);
    CHECK(body["tools"][0]["input_schema"]["type"] == "object");
    CHECK(body["output_config"]["effort"] == "low");
    CHECK(body["output_config"]["format"]["type"] == "json_schema");
    CHECK_FALSE(body.contains("temperature"));
    CHECK_FALSE(
        written(Wire::anthropic, conversation(), {"effort"})["output_config"].contains("effort"));
    Json bare = written(Wire::anthropic, conversation(), {"output_config"});
    CHECK_FALSE(bare.contains("output_config"));
    CHECK(bare["system"].get<std::string>().find("JSON Schema") != std::string::npos);
    Result<WireCall> call = write_call(conversation(), target(Wire::anthropic));
    CHECK(call->url == "http://h/v1/messages");
    CHECK(header(call->headers, "x-api-key") == "k-1");
    CHECK(header(call->headers, "anthropic-version") == "2023-06-01");
  }

  TEST_CASE("a stream, split anywhere, with cumulative usage") {
    Answer read_one =
        answer_of_any_split(Wire::anthropic,
                            std::string(k_anthropic_start) + std::string(k_anthropic_rest)
                                + std::string(k_anthropic_stop));
    CHECK(read_one.text == "Hello");
    CHECK(read_one.calls == std::vector<ToolCall>{{"t1", "read", R"({"path":1})"}});
    CHECK(read_one.stop == Stop::tool_use);
    CHECK(read_one.usage == Usage{.input = 5, .cache_read = 3, .output = 7});
    CHECK(read_one.model == "claude-x");
  }

  TEST_CASE("a document, a refusal without content, and the limit") {
    Answer refusal =
        answer(Wire::anthropic, R"({"type":"message","content":[],"stop_reason":"refusal"})");
    CHECK(refusal.stop == Stop::refusal);
    CHECK(refusal.text.empty());
    CHECK(refusal.usage == Usage{});
    Answer cut = answer(
        Wire::anthropic,
        R"({"content":[{"type":"thinking"},{"type":"text","text":"a"}],"stop_reason":"max_tokens"})");
    CHECK(cut.stop == Stop::length);
    CHECK(cut.text == "a");
  }

  TEST_CASE("an error within a stream, and a stream without its end") {
    std::string error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
                        "\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    Failure early = failure(Wire::anthropic, error);
    CHECK(early.error.code == ErrorCode::busy);
    CHECK(early.may_retry);
    CHECK(early.error.message == "`h:80` answered 529 (overloaded_error): Overloaded");
    CHECK_FALSE(failure(Wire::anthropic, std::string(k_anthropic_start) + error).may_retry);
    Failure cut =
        failure(Wire::anthropic, std::string(k_anthropic_start) + std::string(k_anthropic_rest));
    CHECK(cut.error.code == ErrorCode::unavailable);
    CHECK_FALSE(cut.may_retry);
    CHECK(failure(Wire::anthropic, "").may_retry);
  }
}

TEST_SUITE("Chat Completions' wire") {
  TEST_CASE("a request, and what is left out of it") {
    Json body = written(Wire::chat, conversation());
    CHECK(body["messages"][0]["role"] == "system");
    CHECK(body["messages"][2]["tool_calls"][0]["function"]["arguments"] == R"({"path":"a"})");
    CHECK(body["messages"][3]
          == Json{{"role", "tool"}, {"tool_call_id", "c1"}, {"content", "error: no such file"}});
    CHECK(body["messages"].size() == 4);
    CHECK(body["max_tokens"] == 9);
    CHECK(body["reasoning_effort"] == "low");
    CHECK(body["response_format"]["json_schema"]["schema"]["type"] == "object");
    CHECK(body["stream_options"]["include_usage"] == true);
    Json other =
        written(Wire::chat, conversation(), {"max_tokens", "reasoning_effort", "stream_options"});
    CHECK(other["max_completion_tokens"] == 9);
    for (const char* field : {"max_tokens", "reasoning_effort", "stream_options"}) {
      CHECK_FALSE(other.contains(field));
    }
    Request broken{.answer_schema = "nothing"};
    CHECK(write_call(broken, target(Wire::chat)).error().code == ErrorCode::invalid_argument);
    Request bytes{.messages = {{.text = "\xff"}}};
    CHECK(written(Wire::chat, bytes)["messages"][0]["content"] == "\uFFFD");
  }

  TEST_CASE("a stream, split anywhere, with usage in its last chunk") {
    Answer read_one = answer_of_any_split(
        Wire::chat,
        "data: {\"model\":\"g\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\","
        "\"content\":null,\"reasoning_content\":\"hm\"}}]}\n\n"
        ": keep-alive\n\n"
        "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":"
        "{\"name\":\"read\",\"arguments\":\"\"}}]}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"b\",\"function\":"
        "{\"name\":\"list\"}},{\"index\":0,\"function\":{\"arguments\":\"{\\\"p\\\":\"}}]}}]}\n\n"
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":"
        "\"2}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,"
        "\"prompt_tokens_details\":{\"cached_tokens\":6},"
        "\"completion_tokens_details\":{\"reasoning_tokens\":1}}}\n\n"
        "data: [DONE]\n\n");
    CHECK(read_one.text == "Hi");
    CHECK(read_one.calls
          == std::vector<ToolCall>{{"a", "read", R"({"p":2})"}, {"b", "list", "{}"}});
    CHECK(read_one.usage == Usage{.input = 4, .cache_read = 6, .output = 4, .reasoning = 1});
    CHECK(read_one.stop == Stop::tool_use);
  }

  TEST_CASE("documents, with arguments as object or text, whole or not") {
    auto called = [](const char* arguments) {
      return answer(
                 Wire::chat,
                 std::string(R"({"choices":[{"message":{"content":"","tool_calls":[{"function":)")
                     + R"({"name":"f","arguments":)" + arguments + "}}]}}]}")
          .calls.at(0);
    };
    CHECK(called(R"({"a":1})") == ToolCall{"call_1", "f", R"({"a":1})"});
    CHECK(called(R"("{\"a\":1}")").arguments == R"({"a":1})");
    CHECK(called(R"("\"{}\"")").arguments == "{}");
    CHECK(called(R"("{\"a\":")").arguments == R"({"invalid_arguments":"{\"a\":"})");
    CHECK(called("null").arguments == "{}");
    Answer parts = answer(Wire::chat,
                          R"({"choices":[{"message":{"content":[{"type":"text","text":"x"}]},)"
                          R"("finish_reason":"length"}],"usage":null})");
    CHECK(parts.text == "x");
    CHECK(parts.stop == Stop::length);
    CHECK(parts.usage == Usage{});
    CHECK(answer(Wire::chat, R"({"choices":[{"message":{"content":null,"refusal":"no"}}]})").stop
          == Stop::refusal);
  }

  TEST_CASE("what is no answer") {
    CHECK(failure(Wire::chat, "<html>hi</html>").error.code == ErrorCode::corrupt);
    CHECK(failure(Wire::chat, R"({"object":"list"})").error.code == ErrorCode::corrupt);
    CHECK(failure(Wire::chat, R"({"error":{"message":"bad","type":"invalid_request_error"}})")
              .error.code
          == ErrorCode::invalid_argument);
    Failure cut = failure(Wire::chat, "data: {\"choices\":[{\"delta\":{\"content\":\"H\"}}]}\n\n");
    CHECK(cut.error.message == "the answer of `h:80` was cut off");
    CHECK_FALSE(cut.may_retry);
    CHECK(failure(Wire::chat, std::string(k_longest_answer + 1, 'x')).error.code
          == ErrorCode::too_large);
    CHECK(failure(Wire::chat, "data: " + std::string(k_longest_answer, 'x')).error.code
          == ErrorCode::too_large);
  }

  // An answer without a piece of it would be graded, and count against the skill.
  TEST_CASE("a piece that cannot be read is no answer, half a character is") {
    auto stream = [](std::string_view content) {
      return R"(data: {"choices":[{"delta":{"content":")" + std::string(content)
             + "\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    };
    Failure garbled = failure(Wire::chat, stream("H\"i"));
    CHECK(garbled.error.code == ErrorCode::corrupt);
    CHECK_FALSE(garbled.may_retry);
    CHECK(answer(Wire::chat, stream("H\xC3 i")).text == "H\xEF\xBF\xBD i");
    CHECK(answer(Wire::chat, "data: ping\n\n" + stream("Hi")).text == "Hi");
  }

  TEST_CASE("nesting without end is survived") {
    std::string deep = std::string(1'000'000, '[');
    CHECK(failure(Wire::chat, R"({"choices":)" + deep).error.code == ErrorCode::corrupt);
    CHECK(failure(Wire::chat, R"({"error":)" + deep, 400).error.code
          == ErrorCode::invalid_argument);
    std::string closed = deep + std::string(deep.size(), ']');
    CHECK(tool_arguments(R"({"a":)" + closed + "}").starts_with(R"({"invalid_arguments":)"));
    CHECK(is_too_deep(std::string(65, '[')));
    CHECK_FALSE(is_too_deep("\"\\\"" + std::string(99, '[') + "\""));
    CHECK_FALSE(is_too_deep(std::string(64, '{')));
  }

  TEST_CASE("a fence around JSON is taken off") {
    CHECK(without_fence("```json\n{\"a\":1}\n```\n") == "{\"a\":1}\n");
    CHECK(without_fence("```\nno json\n```") == "```\nno json\n```");
    CHECK(without_fence("``````") == "``````");
    CHECK(without_fence("") == "");
  }
}

TEST_SUITE("Responses' wire") {
  TEST_CASE("a request") {
    Json body = written(Wire::responses, conversation());
    CHECK(body["instructions"] == "be short");
    CHECK(body["store"] == false);
    CHECK(body["max_output_tokens"] == 9);
    CHECK(body["input"][0]["content"][0]["type"] == "input_text");
    CHECK(body["input"][2]["call_id"] == "c1");
    CHECK(body["input"][3]["type"] == "function_call_output");
    CHECK(body["reasoning"]["effort"] == "low");
    CHECK(body["text"]["format"]["name"] == "answer");
  }

  TEST_CASE("a stream, split anywhere") {
    Answer read_one = answer_of_any_split(
        Wire::responses,
        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
        "\"delta\":\"Hi\"}\n\n"
        "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"error\":"
        "null,\"status\":\"completed\",\"model\":\"g\",\"output\":[{\"type\":\"reasoning\"},"
        "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hi\"}]},"
        "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"}],"
        "\"usage\":{\"input_tokens\":3,\"output_tokens\":2,\"output_tokens_details\":"
        "{\"reasoning_tokens\":1}}}}\n\n");
    CHECK(read_one.text == "Hi");
    CHECK(read_one.calls == std::vector<ToolCall>{{"c", "f", "{}"}});
    CHECK(read_one.stop == Stop::tool_use);
    CHECK(read_one.usage == Usage{.input = 3, .output = 2, .reasoning = 1});
  }

  TEST_CASE("ends that are none") {
    Answer cut =
        answer(Wire::responses,
               R"({"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},)"
               R"("output":[]})");
    CHECK(cut.stop == Stop::length);
    Failure failed =
        failure(Wire::responses,
                "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":"
                "{\"code\":\"rate_limit_exceeded\",\"message\":\"slow\"}}}\n\n");
    CHECK(failed.error.code == ErrorCode::busy);
    CHECK(failed.may_retry);
    CHECK(failure(Wire::responses, "data: {\"type\":\"error\",\"code\":\"insufficient_quota\"}\n\n")
              .error.code
          == ErrorCode::refused);
  }
}
