#include "daemon/models/chat_wire.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace upskill::models {
namespace {

using Json = nlohmann::json;

// One message of ours may be several of theirs: each result is one.
void add_message(Json& messages, const Message& message) {
  for (const ToolResult& result : message.results) {
    messages.push_back({{"role", "tool"},
                        {"tool_call_id", result.call_id},
                        {"content", (result.failed ? "error: " : "") + result.text}});
  }
  if (message.text.empty() && message.calls.empty() && !message.results.empty()) {
    return;
  }
  Json written = {{"role", message.role == Role::user ? "user" : "assistant"},
                  {"content", message.text}};
  for (const ToolCall& call : message.calls) {
    written["tool_calls"].push_back(
        {{"id", call.id},
         {"type", "function"},
         {"function", {{"name", call.name}, {"arguments", call.arguments}}}});
  }
  messages.push_back(std::move(written));
}

// The limit goes by two names; a model takes one of them, or says that it takes none.
void add_limit(Json& body, const Request& request, const WireTarget& target) {
  if (!target.leaves_out("max_tokens")) {
    body["max_tokens"] = request.max_tokens;
  } else if (!target.leaves_out("max_completion_tokens")) {
    body["max_completion_tokens"] = request.max_tokens;
  }
}

std::string text_of(const Json& content) {
  if (content.is_string()) {
    return content.get<std::string>();
  }
  std::string text;
  if (content.is_array()) {
    for (const Json& part : content) {
      text += part.is_object() ? text_member(part, "text") : std::string();
    }
  }
  return text;
}

} // namespace

Headers openai_headers(const WireTarget& target) {
  Headers headers{{"content-type", "application/json"}};
  if (!target.key.empty()) {
    headers.emplace_back("authorization", "Bearer " + target.key);
  }
  return headers;
}

Result<WireCall> write_chat_call(const Request& request, const WireTarget& target) {
  Json body = {{"model", target.model.id}, {"stream", true}, {"messages", Json::array()}};
  if (!target.leaves_out("stream_options")) {
    body["stream_options"] = {{"include_usage", true}};
  }
  add_limit(body, request, target);
  bool has_format = !target.leaves_out("response_format");
  std::string system = system_text(request, !has_format);
  if (!system.empty()) {
    body["messages"].push_back({{"role", "system"}, {"content", system}});
  }
  for (const Message& message : request.messages) {
    add_message(body["messages"], message);
  }
  for (const Tool& tool : request.tools) {
    TRY_ASSIGN(Json schema, read_schema(tool.schema, "tool `" + tool.name + "`"));
    body["tools"].push_back({{"type", "function"},
                             {"function",
                              {{"name", tool.name},
                               {"description", tool.description},
                               {"parameters", std::move(schema)}}}});
  }
  if (!target.model.effort.empty() && !target.leaves_out("reasoning_effort")) {
    body["reasoning_effort"] = target.model.effort;
  }
  if (!request.answer_schema.empty() && has_format) {
    TRY_ASSIGN(Json schema, read_schema(request.answer_schema, "the answer"));
    body["response_format"] = {
        {"type", "json_schema"},
        {"json_schema", {{"name", "answer"}, {"strict", true}, {"schema", std::move(schema)}}}};
  }
  return WireCall{.url = target.model.base_url + "/chat/completions",
                  .headers = openai_headers(target),
                  .body = dump(body)};
}

void ChatReader::on_event(const Json& data) {
  on_document(data);
}

void ChatReader::on_document(const Json& document) {
  if (std::string model = text_member(document, "model"); !model.empty()) {
    m_answer.model = model;
  }
  take_usage(object_member(document, "usage"));
  auto choices = document.find("choices");
  if (choices == document.end() || !choices->is_array()) {
    return;
  }
  for (const Json& choice : *choices) {
    if (choice.is_object() && choice.value("index", Json(0)) == 0) {
      take_choice(choice);
    }
  }
}

void ChatReader::on_done() {
  m_is_complete = true;
}

void ChatReader::at_end() {
  if (!m_refusal.empty() && m_answer.text.empty()) {
    m_answer.text = m_refusal;
    m_answer.stop = Stop::refusal;
  }
}

void ChatReader::take_choice(const Json& choice) {
  take_message(object_member(choice, "delta"));
  const Json& message = object_member(choice, "message");
  take_message(message);
  std::string reason = text_member(choice, "finish_reason");
  if (reason == "length") {
    m_answer.stop = Stop::length;
  } else if (reason == "tool_calls" || reason == "function_call") {
    m_answer.stop = Stop::tool_use;
  } else if (reason == "content_filter") {
    m_answer.stop = Stop::refusal;
  }
  // A document need not say why it ended, and not every stream ends with [DONE].
  m_is_complete = m_is_complete || !reason.empty() || !message.empty();
}

void ChatReader::take_message(const Json& message) {
  auto content = message.find("content");
  if (content != message.end()) {
    add_text(text_of(*content));
  }
  for (const char* key : {"reasoning_content", "reasoning"}) {
    m_has_content = m_has_content || !text_member(message, key).empty();
  }
  m_refusal += text_member(message, "refusal");
  auto calls = message.find("tool_calls");
  if (calls != message.end() && calls->is_array()) {
    for (const Json& call : *calls) {
      if (call.is_object()) {
        take_call(call);
      }
    }
  }
}

// Pieces of one call have its index; where servers leave that out, an id begins a call.
void ChatReader::take_call(const Json& call) {
  m_has_content = true;
  std::string id = text_member(call, "id");
  const Json& function = object_member(call, "function");
  std::optional<std::int64_t> index = count_member(call, "index");
  std::vector<ToolCall>& calls = m_answer.calls;
  std::size_t place = calls.size();
  if (index) {
    place = m_places.emplace(*index, calls.size()).first->second;
  } else if (!calls.empty() && text_member(function, "name").empty()
             && (id.empty() || id == calls.back().id)) {
    place = calls.size() - 1;
  }
  if (place == calls.size()) {
    calls.push_back({.id = id});
  }
  ToolCall& known = calls[place];
  if (known.id.empty()) {
    known.id = id.empty() ? "call_" + std::to_string(place + 1) : id;
  }
  if (known.name.empty()) {
    known.name = text_member(function, "name");
  }
  auto arguments = function.find("arguments");
  if (arguments != function.end() && arguments->is_string()) {
    known.arguments += arguments->get<std::string>();
  } else if (arguments != function.end() && arguments->is_object()) {
    known.arguments = dump(*arguments);
  }
}

void ChatReader::take_usage(const Json& usage) {
  if (usage.empty()) {
    return;
  }
  Usage& told = m_answer.usage;
  std::optional<std::int64_t> prompt = count_member(usage, "prompt_tokens");
  told.cache_read = count_member(object_member(usage, "prompt_tokens_details"), "cached_tokens");
  if (prompt) {
    told.input = std::max<std::int64_t>(0, *prompt - told.cache_read.value_or(0));
  }
  told.output = count_member(usage, "completion_tokens");
  told.reasoning =
      count_member(object_member(usage, "completion_tokens_details"), "reasoning_tokens");
}

} // namespace upskill::models
