#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill::runtime {

// A bound that the kernel keeps, on a program and on each that it starts (setrlimit(2)).
struct ResourceLimit {
  int resource = RLIMIT_CORE;
  std::uint64_t most = 0; // in that resource's unit
};

// A program that has just been started.
struct StartedChild {
  pid_t pid = -1;     // leads its own session and process group
  UniqueFd process{}; // a pidfd: readable once it has ended
  UniqueFd output{};  // what it writes, non-blocking
  UniqueFd errors{};
};

// Starts `argv` with this environment (`NAME=value`, nothing is inherited), with `folder` as its
// working directory, `input` as its standard input (none: /dev/null), `descriptors` as its 3, 4 and
// so on, and no other descriptor of ours. It dies with the thread that calls this. A name without a
// slash is looked for in the PATH of `environment`. The caller ends the process group and reaps the
// process. Errors: not_found (no such program or folder), permission, invalid_argument (empty, or a
// zero byte), too_large (more than the system takes), unavailable.
Result<StartedChild> start_child(const std::vector<std::string>& argv,
                                 const std::vector<std::string>& environment,
                                 const std::string& folder,
                                 const std::optional<std::string>& input,
                                 const std::vector<ResourceLimit>& limits,
                                 const std::vector<int>& descriptors = {});

// The file that is run for a program's name: the name itself when it has a slash, else the first
// executable file of that name in the folders of `path`. not_found names it.
Result<std::string> find_program(const std::string& name, std::string_view path);

} // namespace upskill::runtime
