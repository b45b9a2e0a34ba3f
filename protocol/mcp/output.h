#pragma once
#include "protocol/base/result.h"
#include "protocol/codec/writer.h"
#include "protocol/mcp/version.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

// Whole messages, appended to the output as lines.
namespace upskill::mcp {

// Beyond JSON-RPC's own (rpc/message.h); MCP facts, sections 3 and 4.
inline constexpr int k_resource_not_found = -32002; // legacy only
inline constexpr int k_header_mismatch = -32020;
inline constexpr int k_missing_capability = -32021;
inline constexpr int k_unsupported_version = -32022;
// Ours: outside -32768..-32000, which JSON-RPC and MCP keep for themselves.
inline constexpr int k_busy = -31001;
inline constexpr int k_failed = -31002; // neither the caller's fault nor ours
// All of them, for the reference of the protocol.
inline constexpr std::array k_error_codes{k_resource_not_found,
                                          k_header_mismatch,
                                          k_missing_capability,
                                          k_unsupported_version,
                                          k_busy,
                                          k_failed};

// Every notification that is sent, and that is read; the reference of the protocol has a row for
// each, and no other compiles.
inline constexpr std::array<std::string_view, 8> k_sent_notifications{
    "notifications/cancelled",
    "notifications/message",
    "notifications/progress",
    "notifications/prompts/list_changed",
    "notifications/resources/list_changed",
    "notifications/resources/updated",
    "notifications/subscriptions/acknowledged",
    "notifications/tools/list_changed"};
inline constexpr std::array<std::string_view, 2> k_read_notifications{"notifications/cancelled",
                                                                      "notifications/initialized"};

template <const auto& names> class NameOf {
public:
  consteval NameOf(const char* name) // NOLINT(google-explicit-constructor): for literals
      : m_name(name) {
    if (std::ranges::find(names, m_name) == names.end()) {
      throw "the list does not have it";
    }
  }

  constexpr std::string_view text() const { return m_name; }

private:
  std::string_view m_name;
};

using SentNotification = NameOf<k_sent_notifications>;
using ReadNotification = NameOf<k_read_notifications>;

inline constexpr std::string_view k_meta_subscription_id = "io.modelcontextprotocol/subscriptionId";

// `id` is JSON text. An empty one is left out: MCP does not know a null id, and its schema makes
// the member optional for errors about messages whose id could not be read.
void write_error(std::string& output,
                 std::string_view id,
                 int code,
                 std::string_view message,
                 std::string_view data = {});

// `result` and `params` are JSON text on one line.
void write_result(std::string& output, std::string_view id, std::string_view result);
void write_request(std::string& output,
                   std::string_view id,
                   std::string_view method,
                   std::string_view params);
void write_notification(std::string& output, SentNotification method, std::string_view params);

inline constexpr std::string_view k_complete = "complete"; // the usual `resultType`

// How long a client may keep a modern result; required on lists, discover and resources/read.
struct CacheHint {
  std::int64_t ttl_ms = 0;
  std::string_view scope = "private";
};

// Writes a result member by member, with what the modern era adds around it. `server_meta` is the
// JSON of its `_meta`.
class ResultWriter {
public:
  // `type`: of a modern result.
  ResultWriter(std::string& output,
               std::string_view id,
               Version version,
               std::string_view type = k_complete);

  JsonWriter& json() { return m_json; }

  void finish(std::string_view server_meta, const CacheHint* cache = nullptr);

private:
  std::string& m_output;
  JsonWriter m_json;
  Version m_version;
};

// What a modern result has besides its own members; nothing in the legacy era.
void write_modern_head(JsonWriter& json, Version version, std::string_view type = k_complete);
void write_modern_tail(JsonWriter& json,
                       Version version,
                       std::string_view server_meta,
                       const CacheHint* cache);

// `message` and, on a second line, `hint: ...`.
std::string error_text(const Error& error);

} // namespace upskill::mcp
