#pragma once
#include "daemon/prompt_backend.h"

namespace upskill::conformance {

// The prompts that the conformance suite gets.
// Owner: FixturesEngine. Thread: the daemon's.
class FixturePrompts final : public daemon::PromptBackend {
public:
  std::vector<mcp::Prompt> prompts() const override;
  asio::awaitable<Result<mcp::Answer>>
  get(std::string prompt, std::string arguments, daemon::RequestContext context) override;
  asio::awaitable<Result<mcp::Completion>> complete(std::string prompt,
                                                    std::string argument,
                                                    std::string value,
                                                    std::string known,
                                                    daemon::RequestContext context) override;
};

} // namespace upskill::conformance
