#pragma once
#include "protocol/catalog.h"
#include "protocol/mcp/server.h"
#include "protocol/mcp/version.h"

#include <array>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::mcp {

// Answers that are the same for everybody, as the JSON of their `result`. Written when first asked
// for: one daemon rarely meets more than two revisions, and its start is felt.
struct Server::State {
  State(ServerInfo server_info, std::size_t page_size);

  const std::string& discover() const;
  const std::string& initialize(Version version) const;
  const std::vector<std::string>& tools(Version version, Audience audience) const;

  ServerInfo info;
  std::size_t tools_per_page;
  std::string meta; // `_meta` of every modern result: who the server is

private:
  template <class T> struct Once {
    std::once_flag flag = {};
    T content = {};
  };

  mutable Once<std::string> m_discover = {};
  mutable std::array<Once<std::string>, k_version_names.size()> m_initialize = {};
  mutable std::array<std::array<Once<std::vector<std::string>>, 2>, k_version_names.size()>
      m_tools = {};
};

inline constexpr std::string_view k_meta_protocol_version =
    "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view k_meta_client_capabilities =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view k_meta_server_info = "io.modelcontextprotocol/serverInfo";

} // namespace upskill::mcp
