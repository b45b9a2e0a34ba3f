#pragma once
#include "protocol/base/bounds.h"

#include <cstddef>
#include <memory>
#include <string>

namespace upskill::mcp {

// How the server names itself to clients.
struct ServerInfo {
  std::string name = "upskill";
  std::string title = "upskill";
  std::string version = {};
  std::string description = {};
  std::string website_url = {};
  std::string instructions = {}; // for the model; empty: default_instructions()
};

// Short, because Claude Code puts it into every system prompt.
std::string default_instructions();

// What all sessions share: the server's names and the answers that are the same for everybody,
// written once when first asked for. Owned by the daemon, outlives every Session; any thread.
class Server {
public:
  explicit Server(ServerInfo info, std::size_t tools_per_page = k_max_page);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  struct State;

  const State& state() const { return *m_state; }

private:
  std::unique_ptr<State> m_state;
};

} // namespace upskill::mcp
