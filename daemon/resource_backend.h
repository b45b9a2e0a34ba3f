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
  // not_found where there is none of that name. ResourceContents, or InputRequired.
  virtual asio::awaitable<Result<mcp::Answer>> read(std::string uri, RequestContext context) = 0;
  // The direct children of a folder (SEP-2640). not_found also for what is no folder.
  virtual asio::awaitable<Result<mcp::DirectoryPage>>
  read_directory(std::string uri, std::string cursor, RequestContext context);
  // What an expression of a template may stand for; nothing where that is not known.
  virtual asio::awaitable<Result<mcp::Completion>> complete(std::string uri_template,
                                                            std::string argument,
                                                            std::string value,
                                                            RequestContext context);
};

} // namespace upskill::daemon
