#pragma once
#include "protocol/base/result.h"
#include "protocol/types/server.h"

#include <string>

namespace upskill::cli {

// The last `lines` lines of a log; `not_found` where there is none.
Result<DaemonLogsResult> read_log(const std::string& path, std::size_t lines);

// Prints the last `lines` lines of a log and what is added until a signal comes, also when the file
// is cut, replaced, or appears only later. With `json` one object with a `line` for each. Answers
// the exit code.
int follow_log(const std::string& path, std::size_t lines, bool json);

} // namespace upskill::cli
