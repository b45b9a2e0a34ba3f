#include "protocol/mcp/declared.h"

#include "protocol/mcp/capabilities.h"
#include "protocol/mcp/server_state.h"
#include "protocol/rpc/json_text.h"

namespace upskill::mcp {
namespace {

constexpr std::size_t k_max_remembered = 1024; // bytes of capabilities

} // namespace

Refusal malformed_meta(std::string_view key, std::string_view what) {
  return {rpc::k_invalid_params,
          "`params._meta[\"" + std::string(key) + "\"]` " + std::string(what),
          {}};
}

std::optional<Refusal> DeclaredReader::read(const rpc::Message& message, Declared& declared) {
  const rpc::Member* capabilities = message.meta.find(k_meta_client_capabilities);
  if (capabilities == nullptr || capabilities->kind != JsonKind::object) {
    return malformed_meta(k_meta_client_capabilities, "must be an object");
  }
  if (capabilities->raw != m_last) {
    std::optional<ClientCapabilities> client = read_capabilities(capabilities->raw, k_modern);
    if (!client) {
      return malformed_meta(k_meta_client_capabilities,
                            "must be an object of objects, as MCP describes them");
    }
    m_client = *client;
    m_last = capabilities->raw.size() <= k_max_remembered ? capabilities->raw : "";
  }
  declared.client = m_client;
  if (const rpc::Member* level = message.meta.find(k_meta_log_level)) {
    if (level->kind == JsonKind::string) {
      declared.log_level = log_level_from(rpc::string_value(level->raw));
    }
    if (!declared.log_level) {
      return malformed_meta(k_meta_log_level, "is not a log level of MCP");
    }
  }
  return std::nullopt;
}

} // namespace upskill::mcp
