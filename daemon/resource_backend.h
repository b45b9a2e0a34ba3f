#pragma once
#include "daemon/request_context.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"
#include "protocol/mcp/answer.h"

#include <string>

namespace upskill::daemon {

// Where MCP's resources come from. Called on the daemon's thread; what blocks goes through offload.
// Owner: Daemon, which outlives every call.
class ResourceBackend {
public:
  virtual ~ResourceBackend() = default;

  // The page after `cursor`, which is empty for the first; invalid_argument for a cursor that is
  // none of ours.
  virtual asio::awaitable<Result<mcp::ResourcePage>> list(std::string cursor,
                                                          RequestContext context) = 0;
  virtual asio::awaitable<Result<mcp::ResourceTemplatePage>>
  list_templates(std::string cursor, RequestContext context) = 0;
  // not_found where there is none of that name.
  virtual asio::awaitable<Result<mcp::ResourceContents>> read(std::string uri,
                                                              RequestContext context) = 0;
};

} // namespace upskill::daemon
