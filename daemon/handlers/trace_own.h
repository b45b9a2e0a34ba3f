#pragma once
#include "daemon/capture/desk.h"
#include "daemon/request_context.h"
#include "protocol/base/result.h"
#include "skills/archive/archive.h"

#include <cstdint>

namespace upskill::daemon {

// The session that an agent's call comes from: the one that its client tells, else the one of the
// agent's program that is at work in its folder. Of several there, and of other programs, the one
// that waits for a tool of ours.
// invalid_argument: nothing is known, or several are meant; not_found: that session is not kept.
Result<store::SessionRow>
find_own(archive::Archive& archive, const RequestContext& context, std::int64_t now_ms);

// The same, where sessions are followed once its agent has written the call: within two seconds.
asio::awaitable<Result<store::SessionRow>> wait_for_own(capture::Desk& desk,
                                                        const RequestContext& context);

} // namespace upskill::daemon
