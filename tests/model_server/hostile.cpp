#include "tests/model_server/hostile.h"

#include "tests/model_server/said.h"

#include <map>

namespace upskill::model_server {
namespace {

constexpr std::string_view k_events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
                                      "connection: close\r\n\r\n";
constexpr std::string_view k_begun =
    R"(data: {"model":"m","choices":[{"index":0,"delta":{"content":"pas"}}]})"
    "\n\n";
constexpr std::string_view k_page =
    "<!DOCTYPE html><html><head><style>p{color:red}</style></head><body><h1>Welcome to the hotel"
    "</h1><p>Please accept our terms.</p></body></html>";

Reply closing(std::string bytes) {
  return {.bytes = std::move(bytes), .is_last = true};
}

std::string stream(std::string_view rest) {
  return std::string(k_events) + std::string(k_begun) + std::string(rest);
}

Reply html(const Request&) {
  return {.bytes = response("200 OK", "text/html", k_page)};
}

Reply html_error(const Request&) {
  return {.bytes = response("403 Forbidden", "text/html", k_page)};
}

Reply cut(const Request&) {
  return closing(stream("data: {\"model\":\"m\",\"choi"));
}

// It tells of more bytes than there are.
Reply cut_length(const Request&) {
  std::string whole = completion("pass");
  return closing(whole.substr(0, whole.size() - 200));
}

Reply fails_within(const Request&) {
  return closing(
      stream("data: {\"error\":{\"message\":\"out of memory\",\"type\":\"server_error\"}}\n\n"));
}

Reply ten_megabytes(const Request&) {
  return {.bytes = completion("pass " + std::string(10u << 20, 'x'))};
}

// One after the other, each small: only all of them together are too much.
Reply forty_megabytes(const Request&) {
  std::string piece = R"(data: {"choices":[{"index":0,"delta":{"content":")"
                      + std::string(64u << 10, 'x') + "\"}}]}\n\n";
  std::string all(k_events);
  for (int i = 0; i < 640; ++i) {
    all += piece;
  }
  return closing(all);
}

// Servers like to repeat what they were given.
Reply wrong_key(const Request& request) {
  constexpr std::string_view k_name = "Bearer ";
  std::size_t at = request.head.find(k_name);
  std::string_view key =
      at == std::string_view::npos ? "" : request.head.substr(at + k_name.size());
  std::string message = "Incorrect API key provided: ";
  message += key.substr(0, key.find('\r'));
  return {.bytes = server_error("401 Unauthorized", message, "authentication_error")};
}

Reply unknown_model(const Request&) {
  return {.bytes = server_error("404 Not Found", "The model does not exist", "not_found_error")};
}

Reply long_error(const Request&) {
  return {.bytes = server_error("400 Bad Request", std::string(30u << 20, 'e'), "bad")};
}

Reply redirect(const Request&) {
  return {.bytes = response("302 Found", "text/plain", "", "location: http://192.0.2.1/v1\r\n")};
}

Reply other_json(const Request&) {
  return {.bytes = response("200 OK", "application/json", R"({"hello":["world"]})")};
}

Reply deep_json(const Request&) {
  std::string body = R"({"choices":)" + std::string(1u << 20, '[');
  return {.bytes = response("200 OK", "application/json", body)};
}

Reply no_text(const Request&) {
  return {.bytes = completion("\xff\xfe\x80 pass")};
}

Reply nothing(const Request&) {
  return {.bytes = response("200 OK", "application/json", "")};
}

Reply quota(const Request&) {
  return {.bytes = server_error(
              "429 Too Many Requests", "You exceeded your current quota", "insufficient_quota")};
}

Reply limited(const Request&) {
  return {.bytes = server_error(
              "429 Too Many Requests", "slow down", "rate_limit_error", "retry-after-ms: 1\r\n")};
}

// Every other request is taken, so that a second try is always enough.
Reply limited_once(const Request& request) {
  static bool is_limited = false;
  is_limited = !is_limited;
  return is_limited ? limited(request) : Reply{.bytes = completion("pass")};
}

// It wants to be left alone for a week.
Reply limited_long(const Request&) {
  return {.bytes = server_error(
              "429 Too Many Requests", "slow down", "rate_limit_error", "retry-after: 604800\r\n")};
}

// Control sequences for whoever prints them.
Reply terminal(const Request&) {
  return {.bytes = response(
              "400 Bad Request", "text/plain", "\x1b]0;owned\a\x1b[2Jbad\r\nhint: run it")};
}

Reply silent(const Request&) {
  return {.is_silent = true};
}

} // namespace

std::optional<Reply> hostile(std::string_view name, const Request& request) {
  static const std::map<std::string_view, Reply (*)(const Request&)> k_all{
      {"html", html},
      {"html-error", html_error},
      {"cut", cut},
      {"cut-length", cut_length},
      {"fails-within", fails_within},
      {"ten-megabytes", ten_megabytes},
      {"forty-megabytes", forty_megabytes},
      {"wrong-key", wrong_key},
      {"unknown-model", unknown_model},
      {"long-error", long_error},
      {"redirect", redirect},
      {"other-json", other_json},
      {"deep-json", deep_json},
      {"no-text", no_text},
      {"nothing", nothing},
      {"quota", quota},
      {"limited", limited},
      {"limited-once", limited_once},
      {"limited-long", limited_long},
      {"terminal", terminal},
      {"silent", silent},
  };
  auto at = k_all.find(name);
  return at == k_all.end() ? std::nullopt : std::optional(at->second(request));
}

} // namespace upskill::model_server
