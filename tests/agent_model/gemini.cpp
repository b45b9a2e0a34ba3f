#include "tests/agent_model/asked.h"

namespace upskill::agent_model {
namespace {

void read_content(const Json& content, Asked& asked) {
  if (string_at(content, "role") == "model") {
    asked.fresh.clear();
    asked.results.clear();
    asked.has_results = false;
    return;
  }
  for (const Json& part : at(content, "parts")) {
    asked.fresh += text_of(at(part, "text"));
    if (const Json& result = at(part, "functionResponse"); result.is_object()) {
      std::string text = text_of(at(result, "response"));
      asked.has_results = true;
      asked.results += text;
      asked.fresh += text;
    }
  }
}

Asked read(const Json& body) {
  Asked asked;
  for (const Json& content : at(body, "contents")) {
    read_content(content, asked);
  }
  asked.wants_json =
      string_at(at(body, "generationConfig"), "responseMimeType") == "application/json";
  for (const Json& tool : at(body, "tools")) {
    for (const Json& one : at(tool, "functionDeclarations")) {
      asked.tools.push_back({string_at(one, "name")});
    }
  }
  return asked;
}

Json whole(const Said& said, const Asked& asked) {
  Json part = {{"text", said.text}};
  if (said.call) {
    part = {{"functionCall", {{"name", said.call->tool.name}, {"args", said.call->arguments}}}};
  }
  return {{"candidates",
           Json::array({{{"content", {{"role", "model"}, {"parts", Json::array({part})}}},
                         {"finishReason", "STOP"},
                         {"index", 0}}})},
          {"usageMetadata",
           {{"promptTokenCount", said.input},
            {"candidatesTokenCount", said.output},
            {"totalTokenCount", said.input + said.output}}},
          {"modelVersion", asked.model},
          {"responseId", "r" + std::to_string(said.number)}};
}

std::string stream(const Said& said, const Asked& asked) {
  return event("", whole(said, asked));
}

Json error(int status, const std::string& message) {
  const char* word = status == 401 ? "UNAUTHENTICATED" : "UNAVAILABLE";
  return {{"error", {{"code", status}, {"message", message}, {"status", word}}}};
}

} // namespace

const Wire k_gemini{"gemini", read, whole, stream, error};

} // namespace upskill::agent_model
