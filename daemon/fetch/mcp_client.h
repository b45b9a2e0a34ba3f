#pragma once
#include "daemon/fetch/fetch_setting.h"
#include "daemon/models/curl.h"
#include "daemon/models/http_message.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::fetch {

// A client of an MCP server over Streamable HTTP, which only lists and reads: no tool of it is ever
// called, and nothing that it asks is answered. Owner: a call. Thread: that of its executor.
class McpClient {
public:
  // Learns what the server speaks (2026-07-28, else by `initialize` an older revision) and has.
  // A token for it comes from the caller's UPSKILL_MCP_TOKENS: `host:port=TOKEN`, separated by
  // blanks. Errors: those of http_post; permission where it wants a login; unsupported and corrupt
  // for what is no MCP server.
  static asio::awaitable<Result<McpClient>>
  connect(models::Http& http, std::string url, FetchSetting setting);

  bool has_skills() const { return m_has_skills; }

  bool has_resources() const { return m_has_resources; }

  const std::string& where() const { return m_where; } // `host:port`

  // The result of one request; `params` is an object. Errors: not_found where the server says that
  // there is no such thing; unavailable for its other errors, quoted.
  asio::awaitable<Result<nlohmann::json>> call(std::string method, nlohmann::json params);

private:
  struct Heard;

  McpClient(models::Http& http, std::string url, FetchSetting setting)
      : m_http(&http)
      , m_url(std::move(url))
      , m_setting(std::move(setting)) {}

  models::Headers headers(const std::string& method, const std::string& name) const;
  asio::awaitable<Result<Heard>> exchange(std::string method, nlohmann::json params);
  asio::awaitable<Result<void>> initialize();
  Result<nlohmann::json> result_of(Heard heard, std::string_view method) const;
  void take_capabilities(const nlohmann::json& result);

  models::Http* m_http;
  std::string m_url;
  std::string m_where = {};
  FetchSetting m_setting;
  std::string m_token = {};
  std::string m_version = {};
  std::string m_session = {}; // of the older revisions
  bool m_is_modern = true;
  bool m_has_skills = false;
  bool m_has_resources = false;
  std::int64_t m_last_id = 0;
};

// The token for `where`, a host with its port, in `host:port=TOKEN host:port=TOKEN`; empty where
// there is none.
std::string token_for(std::string_view tokens, std::string_view where);

} // namespace upskill::fetch
