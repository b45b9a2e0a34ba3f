#pragma once
#include "daemon/engine.h"
#include "protocol/catalog.h"
#include "tests/conformance/fixtures_prompts.h"
#include "tests/conformance/fixtures_resources.h"

#include <span>
#include <vector>

namespace upskill::conformance {

// A tool that the conformance suite calls by its name, and what it does. The names, words and
// schemas are the suite's (src/scenarios/server of modelcontextprotocol/conformance).
struct Tool {
  MethodInfo info;
  daemon::Binder::ToolHandler handler;
};

std::vector<Tool> content_tools(); // answer at once, each with another kind of content
std::vector<Tool> asking_tools();  // ask the client first
// Log, report progress, change lists. `context` outlives the handlers.
std::vector<Tool> message_tools(const daemon::EngineContext& context);
std::vector<Tool> task_tools(const daemon::EngineContext& context); // go on as tasks

// Everything that the suite wants of a server, and nothing of the product's.
// Owner: Daemon. Thread: the daemon's.
class FixturesEngine final : public daemon::Engine {
public:
  explicit FixturesEngine(daemon::EngineContext context);

  void bind(daemon::Binder& binder) override;

  daemon::ResourceBackend* resources() override { return &m_resources; }

  daemon::PromptBackend* prompts() override { return &m_prompts; }

  std::span<const MethodInfo> tools() override { return m_infos; }

  void start() override {}

  asio::awaitable<void> stop() override { co_return; }

  void describe(StatusResult&) const override {}

private:
  daemon::EngineContext m_context;
  FixtureResources m_resources;
  FixturePrompts m_prompts;
  std::vector<MethodInfo> m_infos; // never changes: the binder knows the addresses
  std::vector<daemon::Binder::ToolHandler> m_handlers; // in the order of m_infos
};

} // namespace upskill::conformance
