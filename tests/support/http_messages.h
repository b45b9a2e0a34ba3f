#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// What a client of MCP over HTTP sends, and what it gets: as a good one writes it, to be spoiled.
namespace upskill::tests {

// Where a daemon serves, as it tells its user's programs.
struct HttpPlace {
  std::string url = {};
  std::string token = {};
  std::uint16_t port = 0;

  bool is_ipv6() const { return url.starts_with("http://["); }
};

// Of the daemon with this home, which is ready.
HttpPlace http_place(const std::string& home);

struct HttpField {
  std::string name = {};
  std::string value = {};
};

// A line of a head; fails the test when it is none.
HttpField field_of(std::string_view line);

struct HttpRequest {
  std::string method = "POST";
  std::string target = "/mcp";
  std::vector<HttpField> fields = {};
  std::string body = {};

  // In place of all fields of that name.
  HttpRequest& set(std::string_view name, std::string_view value);
  HttpRequest& without(std::string_view name);

  // A length is added unless one is there, or the body is chunked.
  std::string text() const;
};

// With everything that a good client sends.
HttpRequest http_post(const HttpPlace& place, std::string body);
HttpRequest http_modern(const HttpPlace& place, const nlohmann::json& message);
// An empty session: there is none yet.
HttpRequest
http_legacy(const HttpPlace& place, const std::string& session, const nlohmann::json& message);
HttpRequest http_get(const HttpPlace& place, const std::string& session);
HttpRequest http_delete(const HttpPlace& place, const std::string& session);

// Messages of both eras. `capabilities` are the client's.
nlohmann::json modern_message(int id,
                              std::string_view method,
                              nlohmann::json params = nlohmann::json::object(),
                              const nlohmann::json& capabilities = nlohmann::json::object());
nlohmann::json legacy_message(int id, std::string_view method, nlohmann::json params = {});
nlohmann::json legacy_initialize(const nlohmann::json& capabilities = nlohmann::json::object());
// The parameters of tools/call.
nlohmann::json tool_params(std::string_view tool,
                           nlohmann::json arguments = nlohmann::json::object());
// The text of the first content block of a result; empty where there is none.
std::string text_of(const nlohmann::json& answer);

struct HttpAnswer {
  int status = 0;
  std::vector<HttpField> fields = {};
  std::string body = {}; // of a stream: decoded, as far as it went

  std::string field(std::string_view name) const; // empty where there is none
  bool is_stream() const;
  // All messages of the body, or of the stream.
  std::vector<nlohmann::json> messages() const;
  // The last of them, which is the answer of a call; null where there is none.
  nlohmann::json message() const;
};

// One event of a stream: either part may be missing.
struct HttpEvent {
  std::optional<std::string> id = {};
  std::string data = {};
};

// Takes the first whole event off a stream; nothing where there is none.
std::optional<HttpEvent> take_event(std::string& stream);

} // namespace upskill::tests
