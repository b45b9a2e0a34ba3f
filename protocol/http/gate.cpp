#include "protocol/http/gate.h"

#include "protocol/base/hash.h"
#include "protocol/http/accept.h"
#include "protocol/http/origin.h"

#include <utility>

namespace upskill::http {
namespace {

Refusal refusal(Status status, ErrorCode code, std::string message, std::string hint = {}) {
  return {status, {code, std::move(message), std::move(hint)}};
}

std::optional<Refusal> check_source(const Head& head) {
  std::optional<std::string_view> host = head.only("Host");
  if (!host || !is_local_host(*host)) {
    return refusal(403,
                   ErrorCode::refused,
                   "the `Host` of the request is not this machine",
                   "ask `127.0.0.1`, `localhost` or `[::1]`");
  }
  if (head.count("Origin") == 0) {
    return std::nullopt;
  }
  std::optional<std::string_view> origin = head.only("Origin");
  if (!origin || !is_local_origin(*origin)) {
    return refusal(403, ErrorCode::refused, "the `Origin` of the request is not this machine");
  }
  return std::nullopt;
}

Refusal unknown_method(std::string message, std::string_view allowed) {
  Refusal wrong = refusal(405, ErrorCode::unsupported, std::move(message));
  wrong.field = AnswerField{"Allow", allowed};
  return wrong;
}

std::optional<Refusal> check_body(const Head& head) {
  std::optional<std::string_view> type = head.only("Content-Type");
  if (!type || !is_media_type(*type, "application", "json")) {
    return refusal(415,
                   ErrorCode::invalid_argument,
                   "the body of a request must be JSON",
                   "send `Content-Type: application/json`");
  }
  std::optional<std::string_view> coding = head.first("Content-Encoding");
  if (coding && !equals_ignoring_case(*coding, "identity")) {
    return refusal(415, ErrorCode::unsupported, "the body of a request must not be compressed");
  }
  return std::nullopt;
}

std::optional<Refusal> check_post(const Head& head) {
  if (!accepts(head, "application", "json") || !accepts(head, "text", "event-stream")) {
    return refusal(406,
                   ErrorCode::invalid_argument,
                   "the answer may be `application/json` or `text/event-stream`, and the request "
                   "does not accept both",
                   "send `Accept: application/json, text/event-stream`");
  }
  return check_body(head);
}

std::optional<Refusal> check_get(const Head& head) {
  if (!accepts(head, "text", "event-stream")) {
    return refusal(406,
                   ErrorCode::invalid_argument,
                   "the answer is `text/event-stream`, which the request does not accept",
                   "send `Accept: text/event-stream`");
  }
  return std::nullopt;
}

std::optional<Refusal> check_mcp(const Head& head) {
  if (head.method == "POST") {
    return check_post(head);
  }
  if (head.method == "GET") {
    return check_get(head);
  }
  if (head.method != "DELETE") {
    return unknown_method("this method means nothing to MCP", "GET, POST, DELETE");
  }
  return std::nullopt;
}

// Agents do not say what they accept: the answer has nothing in it.
std::optional<Refusal> check_hook(const Head& head) {
  return head.method == "POST" ? check_body(head)
                               : unknown_method("a hook is told by POST only", "POST");
}

} // namespace

Error too_long(Route route) {
  std::size_t mebibytes = max_body(route) >> 20;
  return {ErrorCode::too_large, "the message is longer than " + std::to_string(mebibytes) + " MiB"};
}

Gate::Gate(std::string token)
    : m_token(std::move(token)) {}

bool Gate::has_token(const Head& head) const {
  if (m_token.empty()) {
    return true;
  }
  constexpr std::string_view k_scheme = "Bearer ";
  std::optional<std::string_view> given = head.only("Authorization");
  return given && equals_ignoring_case(given->substr(0, k_scheme.size()), k_scheme)
         && equal_in_constant_time(trimmed(given->substr(k_scheme.size())), m_token);
}

std::optional<Refusal> Gate::check(const Head& head, std::optional<std::uint64_t> body_size) const {
  if (auto elsewhere = check_source(head)) {
    return elsewhere;
  }
  if (!has_token(head)) {
    Refusal unknown = refusal(401,
                              ErrorCode::permission,
                              "the request does not carry the token of this daemon",
                              "send `Authorization: Bearer TOKEN`; the file `run/http.json` in the "
                              "daemon's state directory holds it");
    unknown.field = AnswerField{"WWW-Authenticate", "Bearer"};
    return unknown;
  }
  std::optional<Route> route = route_of(head.target);
  if (!route) {
    return refusal(404,
                   ErrorCode::not_found,
                   "there is nothing at this path",
                   "MCP is at `/mcp`, and what hooks tell at `/hook`");
  }
  std::optional<Refusal> wrong = *route == Route::hook ? check_hook(head) : check_mcp(head);
  if (!wrong && body_size && *body_size > max_body(*route)) {
    wrong = Refusal{413, too_long(*route)};
  }
  return wrong;
}

} // namespace upskill::http
