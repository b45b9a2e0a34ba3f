#pragma once
#include "daemon/handlers/skill_library.h"
#include "daemon/resource_backend.h"

namespace upskill::daemon {

// Skills as MCP resources: one for each skill in the list, and every file of it can be read.
// Owner: SkillsEngine. Thread: the daemon's. Lifetime: shorter than `library`.
class SkillResources final : public ResourceBackend {
public:
  explicit SkillResources(SkillLibrary& library)
      : m_library(library) {}

  asio::awaitable<Result<mcp::ResourcePage>> list(std::string cursor,
                                                  RequestContext context) override;
  asio::awaitable<Result<mcp::ResourceTemplatePage>>
  list_templates(std::string cursor, RequestContext context) override;
  // At most 16 MiB. Errors: not_found, refused for what leads out of the skill, too_large.
  asio::awaitable<Result<mcp::ResourceContents>> read(std::string uri,
                                                      RequestContext context) override;

private:
  SkillLibrary& m_library;
};

} // namespace upskill::daemon
