#include "tests/agent_model/asked.h"

namespace upskill::agent_model {
namespace {

void read_message(const Json& message, Asked& asked) {
  if (string_at(message, "role") == "assistant") {
    asked.fresh.clear();
    asked.results.clear();
    asked.has_results = false;
    return;
  }
  const Json& content = at(message, "content");
  asked.fresh += text_of(content);
  if (!content.is_array()) {
    return;
  }
  for (const Json& block : content) {
    if (string_at(block, "type") == "tool_result") {
      asked.has_results = true;
      asked.results += text_of(at(block, "content"));
    }
  }
}

Asked read(const Json& body) {
  Asked asked;
  asked.model = string_at(body, "model");
  asked.is_stream = at(body, "stream") == true;
  for (const Json& message : at(body, "messages")) {
    read_message(message, asked);
  }
  for (const Json& tool : at(body, "tools")) {
    asked.tools.push_back({string_at(tool, "name")});
  }
  return asked;
}

Json usage_of(const Said& said) {
  return {{"input_tokens", said.input},
          {"output_tokens", said.output},
          {"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", 0}};
}

Json block_of(const Said& said) {
  if (said.call) {
    return {{"type", "tool_use"},
            {"id", "toolu_scripted" + std::to_string(said.number)},
            {"name", said.call->tool.name},
            {"input", said.call->arguments}};
  }
  return {{"type", "text"}, {"text", said.text}};
}

Json whole(const Said& said, const Asked& asked) {
  return {{"id", "msg_scripted" + std::to_string(said.number)},
          {"type", "message"},
          {"role", "assistant"},
          {"model", asked.model},
          {"content", Json::array({block_of(said)})},
          {"stop_reason", said.call ? "tool_use" : "end_turn"},
          {"stop_sequence", nullptr},
          {"usage", usage_of(said)}};
}

std::string stream(const Said& said, const Asked& asked) {
  Json start = whole(said, asked);
  start["content"] = Json::array();
  start["stop_reason"] = nullptr;
  start["usage"]["output_tokens"] = 0;
  Json block = block_of(said);
  Json delta;
  if (said.call) {
    block["input"] = Json::object();
    delta = {{"type", "input_json_delta"}, {"partial_json", dump(said.call->arguments)}};
  } else {
    block["text"] = "";
    delta = {{"type", "text_delta"}, {"text", said.text}};
  }
  Json end = {{"stop_reason", said.call ? "tool_use" : "end_turn"}, {"stop_sequence", nullptr}};
  return event("message_start", {{"type", "message_start"}, {"message", start}})
         + event("content_block_start",
                 {{"type", "content_block_start"}, {"index", 0}, {"content_block", block}})
         + event("content_block_delta",
                 {{"type", "content_block_delta"}, {"index", 0}, {"delta", delta}})
         + event("content_block_stop", {{"type", "content_block_stop"}, {"index", 0}})
         + event("message_delta",
                 {{"type", "message_delta"}, {"delta", end}, {"usage", usage_of(said)}})
         + event("message_stop", {{"type", "message_stop"}});
}

Json error(int status, const std::string& message) {
  const char* type = status == 401 ? "authentication_error" : "api_error";
  return {{"type", "error"}, {"error", {{"type", type}, {"message", message}}}};
}

} // namespace

const Wire k_anthropic{"anthropic", read, whole, stream, error};

} // namespace upskill::agent_model
