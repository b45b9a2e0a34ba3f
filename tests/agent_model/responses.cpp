#include "tests/agent_model/asked.h"

namespace upskill::agent_model {
namespace {

void read_item(const Json& item, Asked& asked) {
  std::string type = string_at(item, "type");
  std::string role = string_at(item, "role");
  if (type.ends_with("_output")) {
    std::string text = text_of(at(item, "output"));
    asked.has_results = true;
    asked.results += text;
    asked.fresh += text;
  } else if (role == "user") {
    asked.fresh += text_of(at(item, "content"));
  } else if (role != "system" && role != "developer") {
    asked.fresh.clear(); // a message of the model, a call, its thoughts
    asked.results.clear();
    asked.has_results = false;
  }
}

Asked read(const Json& body) {
  Asked asked;
  asked.model = string_at(body, "model");
  asked.is_stream = at(body, "stream") == true;
  asked.wants_json = at(at(body, "text"), "format").is_object()
                     && string_at(at(at(body, "text"), "format"), "type") != "text";
  const Json& input = at(body, "input");
  if (input.is_string()) {
    asked.fresh = input.get<std::string>();
  } else {
    for (const Json& item : input) {
      read_item(item, asked);
    }
  }
  for (const Json& tool : at(body, "tools")) {
    asked.tools.push_back({string_at(tool, "name")});
    for (const Json& inner : at(tool, "tools")) { // of a namespace
      asked.tools.push_back({string_at(inner, "name"), string_at(tool, "name")});
    }
  }
  return asked;
}

Json item_of(const Said& said) {
  std::string number = std::to_string(said.number);
  if (said.call) {
    Json item = {{"type", "function_call"},
                 {"id", "fc_scripted" + number},
                 {"call_id", "call_scripted" + number},
                 {"name", said.call->tool.name},
                 {"arguments", dump(said.call->arguments)},
                 {"status", "completed"}};
    if (!said.call->tool.space.empty()) {
      item["namespace"] = said.call->tool.space;
    }
    return item;
  }
  Json part = {{"type", "output_text"}, {"text", said.text}, {"annotations", Json::array()}};
  return {{"type", "message"},
          {"id", "msg_scripted" + number},
          {"role", "assistant"},
          {"status", "completed"},
          {"content", Json::array({part})}};
}

Json whole(const Said& said, const Asked& asked) {
  return {{"id", "resp_scripted" + std::to_string(said.number)},
          {"object", "response"},
          {"created_at", 1'780'000'000},
          {"status", "completed"},
          {"model", asked.model},
          {"output", Json::array({item_of(said)})},
          {"usage",
           {{"input_tokens", said.input},
            {"input_tokens_details", {{"cached_tokens", 0}}},
            {"output_tokens", said.output},
            {"output_tokens_details", {{"reasoning_tokens", 0}}},
            {"total_tokens", said.input + said.output}}}};
}

std::string stream(const Said& said, const Asked& asked) {
  Json end = whole(said, asked);
  Json start = end;
  start["status"] = "in_progress";
  start["output"] = Json::array();
  start["usage"] = nullptr;
  Json item = item_of(said);
  Json opened = item;
  opened["status"] = "in_progress";
  std::string bytes;
  int number = 0;
  auto say = [&](const char* type, Json data) {
    data["type"] = type;
    data["sequence_number"] = number++;
    bytes += event(type, data);
  };
  const Json place = {{"item_id", item["id"]}, {"output_index", 0}};
  auto with = [&](const char* name, Json value) {
    Json data = place;
    data[name] = std::move(value);
    return data;
  };
  say("response.created", {{"response", start}});
  if (said.call) {
    opened["arguments"] = "";
    say("response.output_item.added", {{"output_index", 0}, {"item", opened}});
    say("response.function_call_arguments.delta", with("delta", item["arguments"]));
    say("response.function_call_arguments.done", with("arguments", item["arguments"]));
  } else {
    opened["content"] = Json::array();
    say("response.output_item.added", {{"output_index", 0}, {"item", opened}});
    Json delta = with("delta", said.text);
    delta["content_index"] = 0;
    say("response.output_text.delta", delta);
    Json done = with("text", said.text);
    done["content_index"] = 0;
    say("response.output_text.done", done);
  }
  say("response.output_item.done", {{"output_index", 0}, {"item", item}});
  say("response.completed", {{"response", end}});
  return bytes;
}

} // namespace

const Wire k_responses{"responses", read, whole, stream, k_chat.error};

} // namespace upskill::agent_model
