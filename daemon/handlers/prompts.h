#pragma once
#include "daemon/handlers/skill_library.h"
#include "daemon/prompt_backend.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// The prompts of protocol/prompts.h, each filled in with what lies on the disk now.
// Owner: SkillsEngine. Thread: the daemon's; files are read on the pool. Lifetime: shorter than
// `library`.
class SkillPrompts final : public PromptBackend {
public:
  explicit SkillPrompts(SkillLibrary& library)
      : m_library(library) {}

  std::vector<mcp::Prompt> prompts() const override;

  // Errors: invalid_argument, not_found with names that may have been meant, and those of reading.
  asio::awaitable<Result<mcp::Answer>>
  get(std::string prompt, std::string arguments, RequestContext context) override;

  // Names of skills, or what a review may look at: those that begin with `value`, then those that
  // hold it.
  asio::awaitable<Result<mcp::Completion>> complete(std::string prompt,
                                                    std::string argument,
                                                    std::string value,
                                                    std::string known,
                                                    RequestContext context) override;

private:
  asio::awaitable<Result<mcp::Answer>> improve(std::string arguments, RequestContext context);

  SkillLibrary& m_library;
};

} // namespace upskill::daemon
