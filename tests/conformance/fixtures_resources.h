#pragma once
#include "daemon/resource_backend.h"

namespace upskill::conformance {

// The resources that the conformance suite reads.
// Owner: FixturesEngine. Thread: the daemon's.
class FixtureResources final : public daemon::ResourceBackend {
public:
  asio::awaitable<Result<mcp::ResourcePage>> list(std::string cursor,
                                                  daemon::RequestContext context) override;
  asio::awaitable<Result<mcp::ResourceTemplatePage>>
  list_templates(std::string cursor, daemon::RequestContext context) override;
  asio::awaitable<Result<mcp::Answer>> read(std::string uri,
                                            daemon::RequestContext context) override;
};

} // namespace upskill::conformance
