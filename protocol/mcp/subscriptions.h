#pragma once
#include "protocol/mcp/change.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::mcp {

// What one client wants to be told, in both forms: the legacy list of URIs, and the modern requests
// of subscriptions/listen, each of which stays open. Owned by a session. Bounded, because clients
// fill it.
class Subscriptions {
public:
  static constexpr std::size_t k_max_uris = 1000; // of each list
  static constexpr std::size_t k_max_listens = 16;

  struct Listen {
    std::string id = {}; // JSON text of the request's id
    bool tool_list = false;
    bool prompt_list = false;
    bool resource_list = false;
    std::vector<std::string> uris = {};
  };

  // False when the list is full; a second time is no error.
  bool subscribe(std::string uri);
  void unsubscribe(std::string_view uri);

  // False when there are too many. The caller has made sure that the id is free.
  bool listen(Listen listen);
  // Whether there was one of that id.
  bool end(std::string_view id);
  bool has_listen(std::string_view id) const;

  void write_list_changed(std::string& output, Change::Kind list, bool tell_legacy) const;
  // For every URI below the prefix that somebody subscribed to, by that URI.
  void write_updated(std::string& output, std::string_view prefix) const;
  bool wants(std::string_view uri) const;

  // Ends every listen, telling the client (MCP facts, section 3: Server end).
  void close(std::string& output, std::string_view server_meta);

  const std::vector<std::string>& uris() const { return m_uris; }

  const std::vector<Listen>& listens() const { return m_listens; }

private:
  std::vector<std::string> m_uris = {};
  std::vector<Listen> m_listens = {};
};

// The first message of a listen: what it was granted.
void write_acknowledged(std::string& output, const Subscriptions::Listen& listen);

} // namespace upskill::mcp
