#pragma once
#include "protocol/base/bounds.h"
#include "protocol/catalog.h"
#include "protocol/mcp/answer.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::mcp {

// How the server names itself to clients.
struct ServerInfo {
  std::string name = "upskill";
  std::string title = "upskill";
  std::string version = {};
  std::string description = {};
  std::string website_url = {};
  std::string instructions = {}; // for the model; empty: default_instructions()
  std::string icon = {};         // a `data:` URI of an SVG; empty: none
};

// What a server offers beside the methods of the catalogue: declared in its capabilities, so all of
// it must have somebody who answers.
struct Offer {
  // Tools that are not in the catalogue, in its form; they outlive the server.
  std::span<const MethodInfo> tools = {};
  std::vector<Prompt> prompts = {};
  bool resources = true;
  bool completion = false;   // of prompts' arguments and of resource templates
  bool skills = false;       // SEP-2640, with resources/directory/read
  bool tasks = false;        // SEP-2663
  bool list_changes = false; // of tools and prompts: they never change in the product
};

// Short, because Claude Code puts it into every system prompt.
std::string default_instructions();

// What all sessions share: the server's names and the answers that are the same for everybody,
// written once when first asked for. Owned by the daemon, outlives every Session; any thread.
class Server {
public:
  explicit Server(ServerInfo info, Offer offer = {}, std::size_t tools_per_page = k_max_page);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  struct State;

  const State& state() const { return *m_state; }

  // A tool by its name: of the catalogue, or of the offer. Null where there is none that this
  // audience may call: people's methods that write, or are for people only, are unknown to agents.
  const MethodInfo* find_tool(std::string_view name, Audience audience) const;

private:
  std::unique_ptr<State> m_state;
};

} // namespace upskill::mcp
