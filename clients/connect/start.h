#pragma once
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <string>
#include <vector>

namespace upskill::connect {

inline constexpr long k_start_limit_ms = 5000; // for the daemon to listen (wire contract, 3)

// Where `upskilld` lies: beside this program, else in the folder it was installed to, else on PATH.
// `not_found` with a hint otherwise.
Result<std::string> find_daemon_program(const Environment& environment);

// How a daemon is to be started; every word of a child's command line, never a shell's.
struct StartPlan {
  std::vector<std::string> scope =
      {}; // put before it, so that it leaves the caller's control group
  std::string program;
  std::vector<std::string> options = {};
  std::string log; // takes its stdout and stderr
};

// The plan for this machine: within a scope of its own where the user's systemd answers.
StartPlan plan_start(std::string program, const Places& places, const Environment& environment);

// Starts it detached (session of its own, stdin from /dev/null, no descriptor inherited but the one
// for readiness) and waits until it listens or has left the place to another: both are success.
// `unavailable` naming the log when it does neither within the limit.
Result<void> start_daemon(const StartPlan& plan);

// A connection to the daemon, started first, with these options, where it is absent.
Result<UniqueFd> connect_or_start(const Places& places,
                                  const Environment& environment,
                                  std::vector<std::string> options = {});

// A daemon for this command alone, over a socket pair; it ends when the socket closes. Its state
// ends with it, unless the environment names one (names_state): `busy` where a daemon runs on that.
Result<UniqueFd> start_private_daemon(const Places& places, const Environment& environment);

} // namespace upskill::connect
