#include "daemon/fetch/mcp_client.h"

#include "daemon/await.h"
#include "daemon/fetch/http_fetch.h"
#include "daemon/models/server_error.h"
#include "daemon/models/sse.h"
#include "daemon/models/wire_json.h"
#include "protocol/base/utf8.h"
#include "protocol/mcp/base64.h"
#include "protocol/mcp/version.h"
#include "skills/install/web_address.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace upskill::fetch {

using Json = nlohmann::json;

namespace {

// A file of 16 MiB as base64, within JSON.
constexpr std::size_t k_longest_answer = 24u << 20;
constexpr std::string_view k_prefix = "io.modelcontextprotocol/";
constexpr std::string_view k_skills_extension = "io.modelcontextprotocol/skills";
constexpr std::int64_t k_invalid_params = -32602; // no such thing, of the newest revision
constexpr std::int64_t k_no_resource = -32002;    // likewise, of the older ones
constexpr std::int64_t k_no_method = -32601;

Json client_info() {
  return {{"name", "upskill"}, {"version", UPSKILL_VERSION}};
}

// A header's value that is no plain ASCII is sent as the transport says.
std::string header_value(const std::string& text) {
  const bool is_plain = !text.empty() && text.front() != ' ' && text.back() != ' '
                        && !text.starts_with("=?")
                        && std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  return is_plain ? text : "=?base64?" + mcp::base64(text) + "?=";
}

// The answer to `id` within a body: alone, or as an event of a stream among others.
std::optional<Json> answer_in(const FetchReply& reply, std::int64_t id) {
  auto is_answer = [id](const Json& message) {
    return message.is_object() && message.value("id", Json()) == id
           && (message.contains("result") || message.contains("error"));
  };
  if (!models::header(reply.headers, "content-type").starts_with("text/event-stream")) {
    Json message = models::parse_json(reply.body);
    // An error before the id was read has none.
    const bool is_error = message.is_object() && message.contains("error");
    return is_answer(message) || is_error ? std::optional(std::move(message)) : std::nullopt;
  }
  std::optional<Json> found;
  models::SseParser parser(k_longest_answer);
  Result<void> read = parser.take(reply.body, [&](const models::SseEvent& event) {
    Json message = found ? Json() : models::parse_json(event.data);
    if (is_answer(message)) {
      found = std::move(message);
    }
  });
  return read ? found : std::nullopt;
}

} // namespace

struct McpClient::Heard {
  int status = 0;
  std::string session = {};
  std::optional<Json> message = {};
};

std::string token_for(std::string_view tokens, std::string_view where) {
  while (!tokens.empty()) {
    std::string_view entry = tokens.substr(0, tokens.find(' '));
    tokens.remove_prefix(std::min(entry.size() + 1, tokens.size()));
    std::size_t end = entry.find('=');
    if (end != std::string_view::npos && entry.substr(0, end) == where) {
      return std::string(entry.substr(end + 1));
    }
  }
  return {};
}

models::Headers McpClient::headers(const std::string& method, const std::string& name) const {
  models::Headers headers{{"content-type", "application/json"},
                          {"accept", "application/json, text/event-stream"}};
  if (!m_version.empty()) {
    headers.emplace_back("mcp-protocol-version", m_version);
  }
  if (m_is_modern) {
    headers.emplace_back("mcp-method", method);
  }
  if (m_is_modern && !name.empty()) {
    headers.emplace_back("mcp-name", header_value(name));
  }
  if (!m_session.empty()) {
    headers.emplace_back("mcp-session-id", m_session);
  }
  if (!m_token.empty()) {
    headers.emplace_back("authorization", "Bearer " + m_token);
  }
  return headers;
}

// One message, and what came back for it. A notification, which has no id, is answered by nothing.
asio::awaitable<Result<McpClient::Heard>> McpClient::exchange(std::string method, Json params) {
  const bool is_notification = method.starts_with("notifications/");
  const std::string name = method == "resources/read" ? models::text_member(params, "uri") : "";
  Json message{{"jsonrpc", "2.0"}, {"method", method}};
  if (!is_notification) {
    message["id"] = ++m_last_id;
  }
  if (m_is_modern) {
    params["_meta"] = {{std::string(k_prefix) + "protocolVersion", m_version},
                       {std::string(k_prefix) + "clientCapabilities", Json::object()},
                       {std::string(k_prefix) + "clientInfo", client_info()}};
  }
  if (!params.empty()) {
    message["params"] = std::move(params);
  }
  AWAIT(Result<FetchReply> reply,
        http_post(*m_http,
                  m_url,
                  headers(method, name),
                  models::dump(message),
                  k_longest_answer,
                  m_setting));
  CO_TRY(reply);
  if (reply->status == 401 || reply->status == 403) {
    co_return fail(ErrorCode::permission,
                   "the MCP server at " + in_backticks(m_where) + " wants a login",
                   "`UPSKILL_MCP_TOKENS=" + m_where + "=TOKEN` gives it one");
  }
  Heard heard{reply->status, {}, {}};
  heard.session = models::header(reply->headers, "mcp-session-id");
  heard.message = is_notification ? std::nullopt : answer_in(*reply, m_last_id);
  co_return heard;
}

Result<Json> McpClient::result_of(Heard heard, std::string_view method) const {
  const std::string place = "the MCP server at " + in_backticks(m_where);
  if (!heard.message) {
    return fail(ErrorCode::corrupt,
                place + " answered " + in_backticks(method) + " with no message of MCP (status "
                    + std::to_string(heard.status) + ")");
  }
  if (auto error = heard.message->find("error"); error != heard.message->end()) {
    const std::optional<std::int64_t> code =
        error->is_object() && error->contains("code") && (*error)["code"].is_number_integer()
            ? std::optional((*error)["code"].get<std::int64_t>())
            : std::nullopt;
    const std::string said =
        error->is_object() ? models::short_quote(models::text_member(*error, "message")) : "";
    const bool is_missing = code == k_invalid_params || code == k_no_resource;
    const ErrorCode kind = is_missing            ? ErrorCode::not_found
                           : code == k_no_method ? ErrorCode::unsupported
                                                 : ErrorCode::unavailable;
    return fail(kind, place + " refuses " + in_backticks(method) + ": " + to_valid_utf8(said));
  }
  Json result = std::move((*heard.message)["result"]);
  if (!result.is_object()) {
    return fail(ErrorCode::corrupt,
                place + " answered " + in_backticks(method) + " with no object");
  }
  const std::string type = models::text_member(result, "resultType");
  if (!type.empty() && type != "complete") {
    return fail(ErrorCode::unsupported,
                place + " wants something asked or awaited before it answers "
                    + in_backticks(method));
  }
  return result;
}

void McpClient::take_capabilities(const Json& result) {
  const Json& capabilities = models::object_member(result, "capabilities");
  m_has_resources = capabilities.contains("resources");
  m_has_skills = models::object_member(capabilities, "extensions").contains(k_skills_extension);
}

asio::awaitable<Result<void>> McpClient::initialize() {
  m_is_modern = false;
  m_version.clear(); // it is agreed on by this
  Json params{{"protocolVersion", mcp::name_of(mcp::k_newest_legacy)},
              {"capabilities", Json::object()},
              {"clientInfo", client_info()}};
  AWAIT(Result<Heard> heard, exchange("initialize", std::move(params)));
  CO_TRY(heard);
  m_session = heard->session;
  Result<Json> result = result_of(std::move(*heard), "initialize");
  if (!result) {
    co_return fail(ErrorCode::unsupported,
                   "there is no MCP server at " + in_backticks(m_where)
                       + " that we understand: " + result.error().message,
                   "an address often ends in `/mcp`");
  }
  m_version = models::text_member(*result, "protocolVersion");
  const std::optional<mcp::Version> version = mcp::version_from(m_version);
  if (!version || mcp::is_modern(*version)) {
    co_return fail(ErrorCode::unsupported,
                   "the MCP server at " + in_backticks(m_where)
                       + " speaks a revision of MCP that we "
                         "do not");
  }
  take_capabilities(*result);
  AWAIT(heard, exchange("notifications/initialized", Json::object()));
  CO_TRY(heard);
  co_return Result<void>();
}

asio::awaitable<Result<McpClient>>
McpClient::connect(models::Http& http, std::string url, FetchSetting setting) {
  CO_TRY_ASSIGN(install::WebAddress address, install::read_web_address(url));
  McpClient client(http, std::move(url), std::move(setting));
  client.m_where = address.where();
  client.m_version = mcp::name_of(mcp::k_modern);
  if (client.m_setting.environment && client.m_setting.by == NamedBy::person) {
    std::string tokens = client.m_setting.environment("UPSKILL_MCP_TOKENS").value_or("");
    client.m_token = token_for(tokens, client.m_where);
  }
  AWAIT(Result<Heard> heard, client.exchange("server/discover", Json::object()));
  CO_TRY(heard);
  Result<Json> result = client.result_of(std::move(*heard), "server/discover");
  // Who knows the newest revision says so in what it supports; anything else is an older server.
  if (result && result->contains("supportedVersions")) {
    const Json& versions = (*result)["supportedVersions"];
    auto is_ours = [&](const Json& version) { return version == client.m_version; };
    if (versions.is_array() && std::ranges::any_of(versions, is_ours)) {
      client.take_capabilities(*result);
      co_return client;
    }
  }
  AWAIT(Result<void> begun, client.initialize());
  CO_TRY(begun);
  co_return client;
}

asio::awaitable<Result<Json>> McpClient::call(std::string method, Json params) {
  AWAIT(Result<Heard> heard, exchange(method, std::move(params)));
  CO_TRY(heard);
  co_return result_of(std::move(*heard), method);
}

} // namespace upskill::fetch
