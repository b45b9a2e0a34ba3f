#include "tests/agent_model/asked.h"

namespace upskill::agent_model {
namespace {

void read_message(const Json& message, Asked& asked) {
  std::string role = string_at(message, "role");
  if (role == "assistant") {
    asked.fresh.clear();
    asked.results.clear();
    asked.has_results = false;
    return;
  }
  if (role == "system" || role == "developer") {
    return;
  }
  std::string text = text_of(at(message, "content"));
  asked.fresh += text;
  if (role == "tool") {
    asked.has_results = true;
    asked.results += text;
  }
}

Asked read(const Json& body) {
  Asked asked;
  asked.model = string_at(body, "model");
  asked.is_stream = at(body, "stream") == true;
  asked.wants_json = at(body, "response_format").is_object();
  for (const Json& message : at(body, "messages")) {
    read_message(message, asked);
  }
  for (const Json& tool : at(body, "tools")) {
    asked.tools.push_back({string_at(at(tool, "function"), "name")});
  }
  return asked;
}

Json usage_of(const Said& said) {
  return {{"prompt_tokens", said.input},
          {"completion_tokens", said.output},
          {"total_tokens", said.input + said.output}};
}

Json calls_of(const Said& said) {
  return Json::array(
      {{{"index", 0},
        {"id", "call_scripted" + std::to_string(said.number)},
        {"type", "function"},
        {"function",
         {{"name", said.call->tool.name}, {"arguments", dump(said.call->arguments)}}}}});
}

Json message_of(const Said& said) {
  Json message = {{"role", "assistant"}, {"content", nullptr}};
  if (said.call) {
    message["tool_calls"] = calls_of(said);
  } else {
    message["content"] = said.text;
  }
  return message;
}

const char* reason_of(const Said& said) {
  return said.call ? "tool_calls" : "stop";
}

Json frame(const Said& said, const Asked& asked, const char* kind) {
  return {{"id", "chatcmpl-scripted" + std::to_string(said.number)},
          {"object", kind},
          {"created", 1'780'000'000},
          {"model", asked.model}};
}

Json whole(const Said& said, const Asked& asked) {
  Json answer = frame(said, asked, "chat.completion");
  answer["choices"] = Json::array(
      {{{"index", 0}, {"message", message_of(said)}, {"finish_reason", reason_of(said)}}});
  answer["usage"] = usage_of(said);
  return answer;
}

std::string stream(const Said& said, const Asked& asked) {
  Json first = frame(said, asked, "chat.completion.chunk");
  Json last = first;
  Json usage = first;
  first["choices"] =
      Json::array({{{"index", 0}, {"delta", message_of(said)}, {"finish_reason", nullptr}}});
  last["choices"] =
      Json::array({{{"index", 0}, {"delta", Json::object()}, {"finish_reason", reason_of(said)}}});
  usage["choices"] = Json::array();
  usage["usage"] = usage_of(said);
  return event("", first) + event("", last) + event("", usage) + "data: [DONE]\n\n";
}

Json error(int status, const std::string& message) {
  const char* type = status == 401 ? "authentication_error" : "server_error";
  return {{"error",
           {{"message", message},
            {"type", type},
            {"param", nullptr},
            {"code", status == 401 ? Json("invalid_api_key") : Json()}}}};
}

} // namespace

const Wire k_chat{"chat", read, whole, stream, error};

} // namespace upskill::agent_model
