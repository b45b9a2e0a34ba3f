#include "tests/agent_model/server.h"

#include <unistd.h>

#include <utility>

namespace upskill::agent_model {
namespace {

using model_server::Reply;
using model_server::Request;

Reply reply(int status, std::string_view type, std::string_view body) {
  std::string bytes = "HTTP/1.1 " + std::to_string(status) + (status == 200 ? " OK" : " Refused");
  bytes += "\r\ncontent-type: ";
  bytes += type;
  bytes += "\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n";
  bytes += body;
  return {.bytes = std::move(bytes)};
}

Reply reply(int status, const Json& body) {
  return reply(status, "application/json", dump(body));
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

const Wire* wire_of(std::string_view path) {
  path = path.substr(0, path.find('?'));
  if (path.ends_with("/messages")) {
    return &k_anthropic;
  }
  if (path.ends_with("/responses")) {
    return &k_responses;
  }
  if (path.ends_with("/chat/completions")) {
    return &k_chat;
  }
  return has(path, ":generateContent") || has(path, ":streamGenerateContent") ? &k_gemini : nullptr;
}

// In the form of OpenAI, Anthropic and Gemini at the same time.
Json models() {
  Json one = {{"id", "m1"},
              {"object", "model"},
              {"type", "model"},
              {"display_name", "m1"},
              {"created", 1'780'000'000},
              {"created_at", "2026-01-01T00:00:00Z"},
              {"owned_by", "test"}};
  return {{"object", "list"},
          {"data", Json::array({one})},
          {"has_more", false},
          {"first_id", "m1"},
          {"last_id", "m1"}};
}

// What is asked beside words of a model.
Reply other(std::string_view method, std::string_view path) {
  if (has(path, "count_tokens")) {
    return reply(200, Json{{"input_tokens", 100}});
  }
  if (has(path, ":countTokens")) {
    return reply(200, Json{{"totalTokens", 100}});
  }
  if (method == "HEAD") {
    return {.bytes = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"};
  }
  if (method == "GET" && has(path, "/models")) {
    return reply(200, models());
  }
  return reply(404, k_chat.error(404, "nothing is here"));
}

} // namespace

Server::Server(Script script, std::string key, UniqueFd log)
    : m_script(std::move(script))
    , m_key(std::move(key))
    , m_log(std::move(log)) {}

bool Server::is_allowed(const Request& request) const {
  return m_key.empty() || has(request.head, m_key);
}

Reply Server::answer(const Request& request) {
  std::string_view method = request.head.substr(0, request.head.find(' '));
  const Wire* wire = method == "POST" ? wire_of(request.path) : nullptr;
  Json line = {{"number", ++m_number}, {"method", method}, {"path", request.path}};
  Reply said;
  if (wire == nullptr) {
    said = other(method, request.path);
  } else if (!is_allowed(request)) {
    line["refused"] = true;
    said = reply(401, wire->error(401, "invalid api key"));
  } else {
    Json body = Json::parse(request.body, nullptr, false);
    if (body.is_discarded()) {
      line["broken"] = std::string(request.body.substr(0, 200));
      said = reply(400, wire->error(400, "the body is no JSON"));
    } else {
      said = speak(*wire, body, request.path, line);
      line["body"] = std::move(body);
    }
  }
  std::string text = dump(line) + "\n";
  (void)!::write(m_log.get(), text.data(), text.size());
  return said;
}

Reply Server::speak(const Wire& wire, const Json& body, std::string_view path, Json& line) {
  Asked asked = wire.read(body);
  if (&wire == &k_gemini) { // it has both in its path
    asked.is_stream = has(path, ":streamGenerateContent");
    std::string_view model = path.substr(0, path.rfind(':'));
    asked.model = model.substr(model.rfind('/') + 1);
  }
  Script::Decision decision = m_script.decide(asked);
  Said& said = decision.said;
  said.number = m_number;
  Json tools = Json::array();
  for (const OfferedTool& tool : asked.tools) {
    tools.push_back(tool.space.empty() ? tool.name : tool.space + "." + tool.name);
  }
  line["wire"] = wire.name;
  line["model"] = asked.model;
  line["tools"] = tools;
  line["fresh"] = asked.fresh;
  line["results"] = asked.has_results ? Json(asked.results) : Json();
  line["rule"] = decision.rule;
  line["said"] = said.call ? Json{{"call", said.call->tool.name}} : Json(said.text);
  if (said.status != 200) {
    return reply(said.status, wire.error(said.status, "so it is in the script"));
  }
  return asked.is_stream ? reply(200, "text/event-stream", wire.stream(said, asked))
                         : reply(200, wire.whole(said, asked));
}

} // namespace upskill::agent_model
