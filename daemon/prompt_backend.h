#pragma once
#include "daemon/request_context.h"
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"
#include "protocol/mcp/answer.h"

#include <string>
#include <vector>

namespace upskill::daemon {

// Where MCP's prompts come from. Called on the daemon's thread; what blocks goes through offload.
// Owner: Engine, which outlives every call.
class PromptBackend {
public:
  virtual ~PromptBackend() = default;

  // All of them; asked for once, before the first message is read.
  virtual std::vector<mcp::Prompt> prompts() const = 0;

  // PromptMessages, or InputRequired. `arguments` is a JSON object whose values are strings; those
  // that are required are there. not_found for what an argument names.
  virtual asio::awaitable<Result<mcp::Answer>>
  get(std::string prompt, std::string arguments, RequestContext context) = 0;

  // What `argument` may be, where it begins with or holds `value`; `known` are the others' values.
  virtual asio::awaitable<Result<mcp::Completion>> complete(std::string prompt,
                                                            std::string argument,
                                                            std::string value,
                                                            std::string known,
                                                            RequestContext context) = 0;
};

} // namespace upskill::daemon
