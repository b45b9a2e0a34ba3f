#include "daemon/proxy/agent_wire.h"

#include "daemon/models/model_name.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace upskill::proxy {
namespace {

constexpr std::size_t k_max_target = 2048; // bytes

// About this connection (RFC 9110, section 7.6.1), or made anew by libcurl.
constexpr std::array<std::string_view, 13> k_connection{"connection",
                                                        "keep-alive",
                                                        "te",
                                                        "trailer",
                                                        "transfer-encoding",
                                                        "upgrade",
                                                        "host",
                                                        "content-length",
                                                        "content-encoding",
                                                        "accept-encoding",
                                                        "expect",
                                                        "forwarded",
                                                        "via"};
// Where keys lie, and what could stand for one.
constexpr std::array<std::string_view, 6> k_secrets{
    "authorization", "x-api-key", "x-goog-api-key", "api-key", "cookie", "set-cookie"};

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](unsigned char c) { return std::tolower(c); });
  return lowered;
}

bool is_one_of(std::string_view name, auto& names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_kept(std::string_view name) {
  return !is_one_of(name, k_connection) && !is_one_of(name, k_secrets)
         && !name.starts_with("proxy-") && !name.starts_with("x-forwarded-")
         && !name.starts_with(':');
}

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find('?'));
}

bool is_plain(std::string_view target) {
  std::string_view path = path_of(target);
  return target.size() <= k_max_target && path.starts_with('/')
         && path.find("//") == std::string_view::npos && path.find("..") == std::string_view::npos
         && std::ranges::all_of(target,
                                [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '#'; })
         && std::ranges::all_of(path, [](unsigned char c) {
              return std::isalnum(c) != 0
                     || std::string_view("/-._:").find(static_cast<char>(c))
                            != std::string_view::npos;
            });
}

// Whether a value of a field may go on: a line's end in it would be another field.
bool is_one_line(std::string_view value) {
  return std::ranges::none_of(value, [](unsigned char c) { return c < 0x20 && c != '\t'; });
}

std::size_t origin_size(const std::string& url) {
  std::size_t scheme = url.find("://");
  return scheme == std::string::npos ? 0 : std::min(url.find('/', scheme + 3), url.size());
}

} // namespace

std::optional<Route>
route_of(std::string_view method, std::string_view target, std::string_view base) {
  if (!is_plain(target) || !target.starts_with(base)) {
    return std::nullopt;
  }
  std::string_view path = path_of(target.substr(base.size()));
  for (std::string_view version : {"/v1beta", "/v1"}) {
    if (path.starts_with(version) && path.substr(version.size()).starts_with('/')) {
      path.remove_prefix(version.size());
      break;
    }
  }
  const bool is_of_model = path.starts_with("/models/");
  if (method == "GET" && (path == "/models" || is_of_model)) {
    return Route{AgentWire::anthropic, false};
  }
  if (method != "POST") {
    return std::nullopt;
  }
  if (path == "/messages" || path == "/messages/count_tokens") {
    return Route{AgentWire::anthropic, path == "/messages"};
  }
  if (path == "/chat/completions") {
    return Route{AgentWire::chat, true};
  }
  if (path == "/responses") {
    return Route{AgentWire::responses, true};
  }
  if (is_of_model
      && (path.ends_with(":generateContent") || path.ends_with(":streamGenerateContent"))) {
    return Route{AgentWire::gemini, true};
  }
  return is_of_model && path.ends_with(":countTokens")
             ? std::optional(Route{AgentWire::gemini, false})
             : std::nullopt;
}

std::string Upstream::origin() const {
  return models::host_and_port(base_url).empty() ? "" : base_url.substr(0, origin_size(base_url));
}

std::string Upstream::path() const {
  std::string path(path_of(std::string_view(base_url).substr(origin_size(base_url))));
  while (path.ends_with('/')) {
    path.pop_back();
  }
  return path;
}

std::string_view token_of(const http::Head& head) {
  for (const http::Field& field : head.fields) {
    std::string name = lower(field.name);
    if (name == "x-api-key" || name == "x-goog-api-key" || name == "api-key") {
      return field.value;
    }
    if (name == "authorization" && lower(field.value.substr(0, 7)) == "bearer ") {
      return http::trimmed(field.value.substr(7));
    }
  }
  std::size_t query = head.target.find('?');
  while (query < head.target.size()) {
    std::string_view part = head.target.substr(query + 1);
    part = part.substr(0, part.find('&'));
    if (part.starts_with("key=")) {
      return part.substr(4);
    }
    query = head.target.find('&', query + 1);
  }
  return {};
}

AgentWire wire_by_token(const http::Head& head) {
  for (const http::Field& field : head.fields) {
    std::string name = lower(field.name);
    if (name == "x-api-key") {
      return AgentWire::anthropic;
    }
    if (name == "authorization") {
      return AgentWire::chat;
    }
  }
  return AgentWire::gemini; // in a field of its own, or in the query
}

models::Headers forwarded_headers(const http::Head& head, AgentWire wire, const std::string& key) {
  models::Headers headers;
  std::string dropped; // what `Connection` names is about the connection, too
  for (const http::Field& field : head.fields) {
    if (lower(field.name) == "connection") {
      dropped += "," + lower(field.value);
    }
  }
  for (const http::Field& field : head.fields) {
    std::string name = lower(field.name);
    bool is_named = false;
    std::string_view named = dropped;
    while (std::optional<std::string_view> one = http::take_element(named)) {
      is_named = is_named || *one == name;
    }
    // The body goes on as it came, so what it is packed with goes along.
    if ((is_kept(name) || name == "content-encoding") && !is_named && is_one_line(field.value)) {
      headers.emplace_back(std::move(name), field.value);
    }
  }
  if (key.empty()) {
    return headers;
  }
  if (wire == AgentWire::gemini) {
    headers.emplace_back("x-goog-api-key", key);
  } else if (wire == AgentWire::anthropic && !key.starts_with("sk-ant-oat")) {
    headers.emplace_back("x-api-key", key);
  }
  if (wire == AgentWire::chat || wire == AgentWire::responses || key.starts_with("sk-ant-oat")) {
    headers.emplace_back("authorization", "Bearer " + key);
  }
  return headers;
}

std::string forwarded_target(std::string_view target) {
  std::string kept(path_of(target));
  std::string_view query = target.substr(kept.size());
  char before = '?';
  while (!query.empty()) {
    query.remove_prefix(1);
    std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(part.size());
    if (!part.empty() && !part.starts_with("key=")) {
      kept += before;
      kept += part;
      before = '&';
    }
  }
  return kept;
}

models::Headers returned_headers(const models::Headers& headers) {
  models::Headers kept;
  for (const auto& [name, value] : headers) {
    if (is_kept(name) && is_one_line(value)) {
      kept.emplace_back(name, value);
    }
  }
  return kept;
}

} // namespace upskill::proxy
