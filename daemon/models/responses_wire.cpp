#include "daemon/models/responses_wire.h"

#include "daemon/models/chat_wire.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::models {
namespace {

using Json = nlohmann::json;

void add_items(Json& input, const Message& message) {
  for (const ToolResult& result : message.results) {
    input.push_back({{"type", "function_call_output"},
                     {"call_id", result.call_id},
                     {"output", (result.failed ? "error: " : "") + result.text}});
  }
  bool is_user = message.role == Role::user;
  if (!message.text.empty() || (message.results.empty() && message.calls.empty())) {
    input.push_back({{"role", is_user ? "user" : "assistant"},
                     {"content",
                      Json::array({{{"type", is_user ? "input_text" : "output_text"},
                                    {"text", message.text}}})}});
  }
  for (const ToolCall& call : message.calls) {
    input.push_back({{"type", "function_call"},
                     {"call_id", call.id},
                     {"name", call.name},
                     {"arguments", call.arguments}});
  }
}

} // namespace

Result<WireCall> write_responses_call(const Request& request, const WireTarget& target) {
  Json body = {{"model", target.model.id},
               {"stream", true},
               {"max_output_tokens", request.max_tokens},
               {"input", Json::array()}};
  if (!target.leaves_out("store")) {
    body["store"] = false;
  }
  bool has_format = !target.leaves_out("text.format");
  std::string system = system_text(request, !has_format);
  if (!system.empty()) {
    body["instructions"] = system;
  }
  for (const Message& message : request.messages) {
    add_items(body["input"], message);
  }
  for (const Tool& tool : request.tools) {
    TRY_ASSIGN(Json schema, read_schema(tool.schema, "tool `" + tool.name + "`"));
    body["tools"].push_back({{"type", "function"},
                             {"name", tool.name},
                             {"description", tool.description},
                             {"parameters", std::move(schema)},
                             {"strict", false}});
  }
  if (!target.model.effort.empty() && !target.leaves_out("reasoning")) {
    body["reasoning"] = {{"effort", target.model.effort}};
  }
  if (!request.answer_schema.empty() && has_format) {
    TRY_ASSIGN(Json schema, read_schema(request.answer_schema, "the answer"));
    body["text"]["format"] = {{"type", "json_schema"},
                              {"name", "answer"},
                              {"strict", true},
                              {"schema", std::move(schema)}};
  }
  return WireCall{.url = target.model.base_url + "/responses",
                  .headers = openai_headers(target),
                  .body = dump(body)};
}

void ResponsesReader::on_event(const Json& data) {
  std::string type = text_member(data, "type");
  if (type == "response.output_text.delta") {
    m_streamed += text_member(data, "delta");
    m_has_content = true;
  } else if (type == "response.output_item.added") {
    m_has_content = true;
  } else if (type == "response.completed" || type == "response.incomplete"
             || type == "response.failed") {
    on_document(object_member(data, "response"));
  }
}

void ResponsesReader::on_document(const Json& document) {
  std::string status = text_member(document, "status");
  m_answer.model = text_member(document, "model");
  take_usage(object_member(document, "usage"));
  if (status == "failed" || status == "cancelled") {
    auto said = server_error_in(document, 200);
    return fail_with(said ? std::move(*said)
                          : ServerError{.status = 500, .message = "the response " + status});
  }
  auto output = document.find("output");
  if (output != document.end() && output->is_array()) {
    for (const Json& item : *output) {
      if (item.is_object()) {
        take_item(item);
      }
    }
  }
  if (status == "incomplete") {
    std::string reason = text_member(object_member(document, "incomplete_details"), "reason");
    m_answer.stop = reason == "content_filter" ? Stop::refusal : Stop::length;
  }
  if (m_answer.text.empty()) {
    add_text(m_streamed);
  }
  m_is_complete = status == "completed" || status == "incomplete";
}

void ResponsesReader::take_item(const Json& item) {
  std::string type = text_member(item, "type");
  if (type == "function_call") {
    auto arguments = item.find("arguments");
    bool is_object = arguments != item.end() && arguments->is_object();
    m_answer.calls.push_back(
        {.id = text_member(item, "call_id"),
         .name = text_member(item, "name"),
         .arguments = is_object ? dump(*arguments) : text_member(item, "arguments")});
    return;
  }
  auto content = item.find("content");
  if (type != "message" || content == item.end() || !content->is_array()) {
    return; // its reasoning, or an item of tomorrow
  }
  for (const Json& part : *content) {
    if (!part.is_object()) {
      continue;
    }
    add_text(text_member(part, "text"));
    if (text_member(part, "type") == "refusal") {
      add_text(text_member(part, "refusal"));
      m_answer.stop = Stop::refusal;
    }
  }
}

void ResponsesReader::take_usage(const Json& usage) {
  Usage& told = m_answer.usage;
  std::optional<std::int64_t> prompt = count_member(usage, "input_tokens");
  told.cache_read = count_member(object_member(usage, "input_tokens_details"), "cached_tokens");
  if (prompt) {
    told.input = std::max<std::int64_t>(0, *prompt - told.cache_read.value_or(0));
  }
  told.output = count_member(usage, "output_tokens");
  told.reasoning = count_member(object_member(usage, "output_tokens_details"), "reasoning_tokens");
}

} // namespace upskill::models
