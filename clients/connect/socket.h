#pragma once
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <string>

namespace upskill::connect {

// Refuses a folder for sockets that is a link, not a folder, somebody else's, or open to others
// (`refused`, naming it): who could write there could pose as the daemon. Absent is no error.
Result<void> check_run_folder(const std::string& folder);

// A connection to the running daemon; `unavailable` where none listens.
Result<UniqueFd> connect_to_daemon(const Places& places);

} // namespace upskill::connect
