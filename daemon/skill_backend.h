#pragma once
#include "daemon/request_context.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"
#include "protocol/mcp/answer.h"

#include <string>

namespace upskill::daemon {

// Where the skills of the extension io.modelcontextprotocol/skills come from (SEP-2640). Their
// files are resources. Called on the daemon's thread; what blocks goes through offload. Owner:
// Engine, which outlives every call.
class SkillBackend {
public:
  virtual ~SkillBackend() = default;

  // The page after `cursor`, which is empty for the first; invalid_argument for a cursor that is
  // none of ours.
  virtual asio::awaitable<Result<mcp::SkillPage>> list(std::string cursor,
                                                       RequestContext context) = 0;
  // By the URI of its SKILL.md; not_found where there is none.
  virtual asio::awaitable<Result<mcp::SkillEntry>> get(std::string uri, RequestContext context) = 0;
};

} // namespace upskill::daemon
