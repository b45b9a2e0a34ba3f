#pragma once
#include "daemon/engine.h"
#include "daemon/runtime/condition.h"

#include <span>
#include <string>
#include <vector>

namespace upskill::tests {

// Tools and prompts of test_daemon that show who was answered what: they echo, ask, hold, and go on
// as tasks.
// Owner: the engine. Thread: the daemon's. Lifetime: longer than every call.
class TestTools final : public daemon::PromptBackend {
public:
  explicit TestTools(daemon::EngineContext context);

  std::span<const MethodInfo> infos() const { return m_infos; }

  void bind(daemon::Binder& binder);

  // Returns once `test_release` was called; counted meanwhile.
  asio::awaitable<void> released();

  // The asking resource.
  asio::awaitable<Result<mcp::Answer>> read_asking(std::string uri, daemon::RequestContext context);

  std::vector<mcp::Prompt> prompts() const override;
  asio::awaitable<Result<mcp::Answer>>
  get(std::string prompt, std::string arguments, daemon::RequestContext context) override;
  asio::awaitable<Result<mcp::Completion>> complete(std::string prompt,
                                                    std::string argument,
                                                    std::string value,
                                                    std::string known,
                                                    daemon::RequestContext context) override;

private:
  using Reply = daemon::Awaitable<mcp::Answer>;

  Reply echo(std::string arguments, daemon::RequestContext context);
  Reply hold(std::string arguments, daemon::RequestContext context);
  Reply release(std::string arguments, daemon::RequestContext context);
  Reply begin_task(std::string arguments, daemon::RequestContext context);

  daemon::EngineContext m_context;
  runtime::Condition m_released;
  bool m_is_released = false;
  std::vector<MethodInfo> m_infos; // never changes: the binder knows the addresses
};

} // namespace upskill::tests
