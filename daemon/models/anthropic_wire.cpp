#include "daemon/models/anthropic_wire.h"

#include <nlohmann/json.hpp>

namespace upskill::models {
namespace {

using Json = nlohmann::json;

Json text_block(const std::string& text) {
  return {{"type", "text"}, {"text", text}};
}

Json arguments_of(const ToolCall& call) {
  Json arguments = parse_json(call.arguments);
  return arguments.is_object() ? arguments : Json::object();
}

// Results come before text: the API wants them first.
Json message_of(const Message& message) {
  Json content = Json::array();
  for (const ToolResult& result : message.results) {
    content.push_back({{"type", "tool_result"},
                       {"tool_use_id", result.call_id},
                       {"content", result.text},
                       {"is_error", result.failed}});
  }
  if (!message.text.empty()) {
    content.push_back(text_block(message.text));
  }
  for (const ToolCall& call : message.calls) {
    content.push_back({{"type", "tool_use"},
                       {"id", call.id},
                       {"name", call.name},
                       {"input", arguments_of(call)}});
  }
  return {{"role", message.role == Role::user ? "user" : "assistant"},
          {"content", std::move(content)}};
}

// Its words for OpenAI's; empty: left to the model.
std::string effort_of(const std::string& effort) {
  return effort == "minimal" ? "low" : effort == "none" ? "" : effort;
}

Result<Json> output_config(const Request& request, const WireTarget& target) {
  Json config = Json::object();
  std::string effort = effort_of(target.model.effort);
  bool takes_effort = !target.leaves_out("output_config.effort") && !target.leaves_out("effort");
  if (!effort.empty() && takes_effort) {
    config["effort"] = effort;
  }
  if (!request.answer_schema.empty() && !target.leaves_out("output_config.format")) {
    TRY_ASSIGN(Json schema, read_schema(request.answer_schema, "the answer"));
    config["format"] = {{"type", "json_schema"}, {"schema", std::move(schema)}};
  }
  return config;
}

Headers headers_of(const WireTarget& target) {
  Headers headers{{"content-type", "application/json"}, {"anthropic-version", "2023-06-01"}};
  if (target.key.starts_with("sk-ant-oat")) {
    headers.emplace_back("authorization", "Bearer " + target.key);
    headers.emplace_back("anthropic-beta", "oauth-2025-04-20");
  } else if (!target.key.empty()) {
    headers.emplace_back("x-api-key", target.key);
  }
  return headers;
}

} // namespace

Result<WireCall> write_anthropic_call(const Request& request, const WireTarget& target) {
  Json body = {{"model", target.model.id},
               {"max_tokens", request.max_tokens},
               {"stream", true},
               {"messages", Json::array()}};
  bool has_config = !target.leaves_out("output_config");
  std::string system =
      system_text(request, !has_config || target.leaves_out("output_config.format"));
  if (!system.empty()) {
    body["system"] = system;
  }
  for (const Message& message : request.messages) {
    body["messages"].push_back(message_of(message));
  }
  for (const Tool& tool : request.tools) {
    TRY_ASSIGN(Json schema, read_schema(tool.schema, "tool `" + tool.name + "`"));
    body["tools"].push_back({{"name", tool.name},
                             {"description", tool.description},
                             {"input_schema", std::move(schema)}});
  }
  if (has_config) {
    TRY_ASSIGN(Json config, output_config(request, target));
    if (!config.empty()) {
      body["output_config"] = std::move(config);
    }
  }
  const std::string& base = target.model.base_url;
  return WireCall{.url = base + (base.ends_with("/v1") ? "/messages" : "/v1/messages"),
                  .headers = headers_of(target),
                  .body = dump(body)};
}

void AnthropicReader::on_event(const Json& data) {
  std::string type = text_member(data, "type");
  if (type == "message_start") {
    const Json& message = object_member(data, "message");
    m_answer.model = text_member(message, "model");
    take_usage(object_member(message, "usage"));
  } else if (type == "content_block_start") {
    m_has_content = true;
    take_block(object_member(data, "content_block"));
  } else if (type == "content_block_delta") {
    take_delta(object_member(data, "delta"));
  } else if (type == "message_delta") {
    take_stop(object_member(data, "delta"));
    take_usage(object_member(data, "usage")); // cumulative
  } else if (type == "message_stop") {
    m_is_complete = true;
  }
}

void AnthropicReader::on_document(const Json& document) {
  auto content = document.find("content");
  if (content == document.end() || !content->is_array()) {
    return; // not complete: no message
  }
  m_answer.model = text_member(document, "model");
  for (const Json& block : *content) {
    if (block.is_object()) {
      take_block(block);
    }
  }
  take_stop(document);
  take_usage(object_member(document, "usage"));
  m_is_complete = true;
}

void AnthropicReader::take_block(const Json& block) {
  std::string type = text_member(block, "type");
  m_is_call = type == "tool_use";
  if (type == "text") {
    add_text(text_member(block, "text"));
  } else if (m_is_call) {
    const Json& input = object_member(block, "input");
    m_answer.calls.push_back({.id = text_member(block, "id"),
                              .name = text_member(block, "name"),
                              .arguments = input.empty() ? "" : dump(input)});
  }
}

void AnthropicReader::take_delta(const Json& delta) {
  std::string type = text_member(delta, "type");
  if (type == "text_delta") {
    add_text(text_member(delta, "text"));
  } else if (type == "input_json_delta" && m_is_call) {
    m_answer.calls.back().arguments += text_member(delta, "partial_json");
  }
}

void AnthropicReader::take_stop(const Json& holder) {
  std::string reason = text_member(holder, "stop_reason");
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") {
    m_answer.stop = Stop::length;
  } else if (reason == "tool_use") {
    m_answer.stop = Stop::tool_use;
  } else if (reason == "refusal") {
    m_answer.stop = Stop::refusal;
  }
}

void AnthropicReader::take_usage(const Json& usage) {
  auto take = [&](std::optional<std::int64_t>& into, std::string_view key) {
    if (auto count = count_member(usage, key)) {
      into = count;
    }
  };
  take(m_answer.usage.input, "input_tokens");
  take(m_answer.usage.cache_read, "cache_read_input_tokens");
  take(m_answer.usage.cache_write, "cache_creation_input_tokens");
  take(m_answer.usage.output, "output_tokens");
}

} // namespace upskill::models
