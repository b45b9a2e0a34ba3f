#pragma once
#include "protocol/base/bounds.h"
#include "protocol/catalog.h"
#include "protocol/mcp/byte_budget.h"
#include "protocol/mcp/server.h"
#include "protocol/mcp/version.h"

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace upskill::mcp {

// Answers that are the same for everybody, as the JSON of their `result`. Written when first asked
// for: one daemon rarely meets more than two revisions, and its start is felt.
struct Server::State {
  State(ServerInfo server_info, Offer the_offer, std::size_t page_size);

  const std::string& discover() const;
  const std::string& initialize(Version version) const;
  const std::vector<std::string>& tools(Version version, Audience audience) const;
  const std::vector<std::string>& prompts(Version version) const;

  const MethodInfo* find_tool(std::string_view name, Audience audience) const;
  const Prompt* find_prompt(std::string_view name) const;
  // For a request of ours: a JSON string that this process, and most likely no other, has used.
  std::string next_request_id() const;

  ServerInfo info;
  Offer offer;
  std::size_t per_page;
  std::string meta; // `_meta` of every modern result: who the server is
  mutable ByteBudget held{k_max_held_bytes_all}; // by the calls of all sessions

private:
  template <class T> struct Once {
    std::once_flag flag = {};
    T content = {};
  };

  mutable Once<std::string> m_discover = {};
  mutable std::array<Once<std::string>, k_version_names.size()> m_initialize = {};
  mutable std::array<std::array<Once<std::vector<std::string>>, 2>, k_version_names.size()>
      m_tools = {};
  mutable std::array<Once<std::vector<std::string>>, k_version_names.size()> m_prompts = {};
  std::unordered_map<std::string_view, const MethodInfo*> m_tools_by_name = {};
  // How the ids of our questions begin: at random, because where a process before us left off is
  // not known, and a late answer to its questions must not be taken for one to ours.
  std::string m_request_ids = {};
  mutable std::atomic<std::uint64_t> m_last_request = 0;
};

inline constexpr std::string_view k_meta_protocol_version =
    "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view k_meta_client_capabilities =
    "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view k_meta_log_level = "io.modelcontextprotocol/logLevel";
inline constexpr std::string_view k_meta_server_info = "io.modelcontextprotocol/serverInfo";

} // namespace upskill::mcp
