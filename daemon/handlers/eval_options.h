#pragma once
#include "daemon/handlers/eval_models.h"
#include "daemon/request_context.h"
#include "protocol/base/paths.h"
#include "protocol/types/evals.h"

namespace upskill::daemon {

// What the models of a call may be told: keys and addresses that came with it, or, of an agent,
// which sends none, the daemon's own; then the file of credentials. An agent that names a server
// gets none of the providers' keys for it: it may be anybody's, at whatever port.
// Blocks: for the pool. Errors: those of read_credentials and Cassette.
Result<EvalModelOptions>
read_model_options(const EvalParams& params, const RequestContext& context, const Places& places);

} // namespace upskill::daemon
