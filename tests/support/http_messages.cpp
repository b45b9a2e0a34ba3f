#include "tests/support/http_messages.h"

#include "tests/support/temporary_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace upskill::tests {
namespace {

using nlohmann::json;

bool same_name(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) {
    text.remove_prefix(1);
  }
  return text;
}

HttpRequest request_of(const HttpPlace& place) {
  HttpRequest request;
  std::string host = place.is_ipv6() ? "[::1]:" : "127.0.0.1:";
  request.set("Host", host + std::to_string(place.port));
  request.set("Authorization", "Bearer " + place.token);
  return request;
}

} // namespace

HttpPlace http_place(const std::string& home) {
  json told = json::parse(file_text(home + "/.local/state/upskill/run/http.json"));
  HttpPlace place;
  place.url = told.at("url");
  place.token = told.at("token");
  std::size_t colon = place.url.rfind(':');
  REQUIRE_MESSAGE(colon != std::string::npos, place.url);
  std::from_chars(place.url.data() + colon + 1, place.url.data() + place.url.size(), place.port);
  REQUIRE_MESSAGE(place.port != 0, place.url);
  return place;
}

HttpField field_of(std::string_view line) {
  std::size_t colon = line.find(':');
  REQUIRE_MESSAGE(colon != std::string_view::npos, line);
  return {std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1)))};
}

HttpRequest& HttpRequest::set(std::string_view name, std::string_view value) {
  without(name);
  fields.push_back({std::string(name), std::string(value)});
  return *this;
}

HttpRequest& HttpRequest::without(std::string_view name) {
  std::erase_if(fields, [&](const HttpField& field) { return same_name(field.name, name); });
  return *this;
}

std::string HttpRequest::text() const {
  std::string text = method + " " + target + " HTTP/1.1\r\n";
  bool has_length = method != "POST" && body.empty();
  for (const HttpField& field : fields) {
    text += field.name + ": " + field.value + "\r\n";
    has_length = has_length || same_name(field.name, "Content-Length")
                 || same_name(field.name, "Transfer-Encoding");
  }
  if (!has_length) {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n" + body;
}

HttpRequest http_post(const HttpPlace& place, std::string body) {
  HttpRequest request = request_of(place);
  request.set("Accept", "application/json, text/event-stream");
  request.set("Content-Type", "application/json");
  request.body = std::move(body);
  return request;
}

HttpRequest http_modern(const HttpPlace& place, const json& message) {
  HttpRequest request = http_post(place, message.dump());
  request.set("MCP-Protocol-Version", "2026-07-28");
  request.set("Mcp-Method", message.at("method").get<std::string>());
  for (const char* name : {"name", "uri", "taskId"}) {
    if (auto found = message.at("params").find(name);
        found != message.at("params").end() && found->is_string()) {
      request.set("Mcp-Name", found->get<std::string>());
    }
  }
  return request;
}

HttpRequest http_legacy(const HttpPlace& place, const std::string& session, const json& message) {
  HttpRequest request = http_post(place, message.dump());
  if (!session.empty()) {
    request.set("Mcp-Session-Id", session);
    request.set("MCP-Protocol-Version", "2025-11-25");
  }
  return request;
}

HttpRequest http_get(const HttpPlace& place, const std::string& session) {
  HttpRequest request = request_of(place);
  request.method = "GET";
  request.set("Accept", "text/event-stream");
  request.set("Mcp-Session-Id", session);
  request.set("MCP-Protocol-Version", "2025-11-25");
  return request;
}

HttpRequest http_delete(const HttpPlace& place, const std::string& session) {
  HttpRequest request = http_get(place, session);
  request.method = "DELETE";
  return request;
}

json modern_message(int id, std::string_view method, json params, const json& capabilities) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
  params["_meta"]["io.modelcontextprotocol/clientInfo"] = {{"name", "test"}, {"version", "1"}};
  return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
}

json legacy_message(int id, std::string_view method, json params) {
  json message = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.is_null()) {
    message["params"] = std::move(params);
  }
  return message;
}

json legacy_initialize(const json& capabilities) {
  return legacy_message(0,
                        "initialize",
                        {{"protocolVersion", "2025-11-25"},
                         {"capabilities", capabilities},
                         {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
}

json tool_params(std::string_view tool, json arguments) {
  return {{"name", tool}, {"arguments", std::move(arguments)}};
}

std::string text_of(const json& answer) {
  return answer.value("/result/content/0/text"_json_pointer, std::string());
}

std::string HttpAnswer::field(std::string_view name) const {
  for (const HttpField& field : fields) {
    if (same_name(field.name, name)) {
      return field.value;
    }
  }
  return {};
}

bool HttpAnswer::is_stream() const {
  return field("Content-Type").starts_with("text/event-stream");
}

std::vector<json> HttpAnswer::messages() const {
  std::vector<json> messages;
  if (!is_stream()) {
    if (!body.empty()) {
      messages.push_back(json::parse(body, nullptr, false));
    }
    return messages;
  }
  std::string rest = body;
  while (std::optional<HttpEvent> event = take_event(rest)) {
    if (!event->data.empty()) {
      messages.push_back(json::parse(event->data, nullptr, false));
    }
  }
  return messages;
}

json HttpAnswer::message() const {
  std::vector<json> all = messages();
  return all.empty() ? json() : all.back();
}

std::optional<HttpEvent> take_event(std::string& stream) {
  std::size_t end = stream.find("\n\n");
  if (end == std::string::npos) {
    return std::nullopt;
  }
  HttpEvent event;
  std::string_view block = std::string_view(stream).substr(0, end);
  while (!block.empty()) {
    std::string_view line = block.substr(0, block.find('\n'));
    block.remove_prefix(std::min(block.size(), line.size() + 1));
    if (line.starts_with("data:")) {
      event.data += trimmed(line.substr(5));
    } else if (line.starts_with("id:")) {
      event.id = trimmed(line.substr(3));
    }
  }
  stream.erase(0, end + 2);
  return event;
}

} // namespace upskill::tests
