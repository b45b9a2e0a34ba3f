#include "tests/model_server/said.h"

namespace upskill::model_server {
namespace {

// What an assistant says beside its role, as a stream of Chat Completions.
std::string stream(std::string_view said, std::string_view finish) {
  std::string events =
      R"(data: {"id":"c1","object":"chat.completion.chunk","model":"drawn","choices":[{"index":0,)"
      R"("delta":{"role":"assistant",)";
  events += said;
  events += "},\"finish_reason\":null}]}\n\n"
            R"(data: {"id":"c1","object":"chat.completion.chunk","model":"drawn","choices":[)"
            R"({"index":0,"delta":{},"finish_reason":")";
  events += finish;
  events += "\"}]}\n\n"
            R"(data: {"id":"c1","object":"chat.completion.chunk","model":"drawn","choices":[],)"
            R"("usage":{"prompt_tokens":900,"completion_tokens":11,"total_tokens":911}})"
            "\n\ndata: [DONE]\n\n";
  return response("200 OK", "text/event-stream", events);
}

} // namespace

std::string response(std::string_view status,
                     std::string_view type,
                     std::string_view body,
                     std::string_view headers) {
  std::string text = "HTTP/1.1 ";
  text += status;
  text += "\r\ncontent-type: ";
  text += type;
  text += "\r\ncontent-length: " + std::to_string(body.size()) + "\r\n";
  text += headers;
  text += "\r\n";
  text += body;
  return text;
}

std::string escaped(std::string_view text) {
  std::string json;
  for (char c : text) {
    if (c == '\n') {
      json += "\\n";
    } else if (c == '\t') {
      json += "\\t";
    } else {
      json += c == '"' || c == '\\' ? "\\" : "";
      json += c;
    }
  }
  return json;
}

std::string completion(std::string_view content) {
  return stream(R"("content":")" + std::string(content) + "\"", "stop");
}

std::string tool_call(std::string_view name, std::string_view arguments) {
  return stream(R"("content":null,"tool_calls":[{"index":0,"id":"t1","type":"function",)"
                R"("function":{"name":")"
                    + std::string(name) + R"(","arguments":")" + std::string(arguments) + R"("}}])",
                "tool_calls");
}

std::string server_error(std::string_view status,
                         std::string_view message,
                         std::string_view type,
                         std::string_view headers) {
  std::string body = R"({"error":{"message":")";
  body += message;
  body += R"(","type":")";
  body += type;
  body += R"(","param":null,"code":null}})";
  return response(status, "application/json", body, headers);
}

} // namespace upskill::model_server
