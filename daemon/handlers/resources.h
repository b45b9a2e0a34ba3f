#pragma once
#include "daemon/handlers/skill_library.h"
#include "daemon/resource_backend.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::daemon {

// Skills as MCP resources: one for each skill in the list, every file of it can be read, and every
// folder of it looked into.
// Owner: SkillsEngine. Thread: the daemon's. Lifetime: shorter than `library`.
class SkillResources final : public ResourceBackend {
public:
  explicit SkillResources(SkillLibrary& library)
      : m_library(library) {}

  // Where the results of watched skills come from, as JSON by their address (`eval://NAME`).
  void set_results(std::function<std::optional<std::string>(std::string_view uri)> results) {
    m_results = std::move(results);
  }

  asio::awaitable<Result<mcp::ResourcePage>> list(std::string cursor,
                                                  RequestContext context) override;
  asio::awaitable<Result<mcp::ResourceTemplatePage>>
  list_templates(std::string cursor, RequestContext context) override;
  // At most 16 MiB. Errors: not_found, also for what leads out of the skill; too_large.
  asio::awaitable<Result<mcp::Answer>> read(std::string uri, RequestContext context) override;
  // Of a skill or a folder in it; what comes before a skill's name in an address is no folder.
  asio::awaitable<Result<mcp::DirectoryPage>>
  read_directory(std::string uri, std::string cursor, RequestContext context) override;
  // Of the template's `name`.
  asio::awaitable<Result<mcp::Completion>> complete(std::string uri_template,
                                                    std::string argument,
                                                    std::string value,
                                                    RequestContext context) override;

private:
  SkillLibrary& m_library;
  std::function<std::optional<std::string>(std::string_view uri)> m_results = {};
};

} // namespace upskill::daemon
