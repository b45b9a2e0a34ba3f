#include "protocol/mcp/output.h"

namespace upskill::mcp {
namespace {

void begin_message(std::string& output, std::string_view id) {
  output += R"({"jsonrpc":"2.0")";
  if (!id.empty()) {
    output += R"(,"id":)";
    output += id;
  }
}

} // namespace

void write_error(std::string& output,
                 std::string_view id,
                 int code,
                 std::string_view message,
                 std::string_view data) {
  begin_message(output, id);
  output += R"(,"error":)";
  JsonWriter json(output);
  json.begin_object();
  json.field("code", code);
  json.field("message", message);
  if (!data.empty()) {
    json.raw_field("data", data);
  }
  json.end_object();
  output += "}\n";
}

void write_result(std::string& output, std::string_view id, std::string_view result) {
  begin_message(output, id);
  output += R"(,"result":)";
  output += result;
  output += "}\n";
}

void write_request(std::string& output,
                   std::string_view id,
                   std::string_view method,
                   std::string_view params) {
  begin_message(output, id);
  output += R"(,"method":")";
  output += method;
  output += R"(","params":)";
  output += params;
  output += "}\n";
}

void write_notification(std::string& output, SentNotification method, std::string_view params) {
  output += R"({"jsonrpc":"2.0","method":")";
  output += method.text();
  output += '"';
  if (!params.empty()) {
    output += R"(,"params":)";
    output += params;
  }
  output += "}\n";
}

void write_modern_head(JsonWriter& json, Version version, std::string_view type) {
  if (is_modern(version)) {
    json.field("resultType", type);
  }
}

void write_modern_tail(JsonWriter& json,
                       Version version,
                       std::string_view server_meta,
                       const CacheHint* cache) {
  if (!is_modern(version)) {
    return;
  }
  if (cache != nullptr) {
    json.field("ttlMs", cache->ttl_ms);
    json.field("cacheScope", cache->scope);
  }
  json.raw_field("_meta", server_meta);
}

ResultWriter::ResultWriter(std::string& output,
                           std::string_view id,
                           Version version,
                           std::string_view type)
    : m_output(output)
    , m_json(output)
    , m_version(version) {
  begin_message(output, id);
  output += R"(,"result":)";
  m_json.begin_object();
  write_modern_head(m_json, version, type);
}

void ResultWriter::finish(std::string_view server_meta, const CacheHint* cache) {
  write_modern_tail(m_json, m_version, server_meta, cache);
  m_json.end_object();
  m_output += "}\n";
}

std::string error_text(const Error& error) {
  return error.hint.empty() ? error.message : error.message + "\nhint: " + error.hint;
}

} // namespace upskill::mcp
