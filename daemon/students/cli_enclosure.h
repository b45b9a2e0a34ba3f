#pragma once
#include "daemon/sandbox/sandbox.h"
#include "daemon/students/cli_agents.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::students {

// Where the loopback of an agent's sandbox leads to the proxy: the same for every run, as all that
// an agent sees of where it is.
inline constexpr std::uint16_t k_enclosed_port = 8470;
// The socket of the proxy in the folder of a run.
inline constexpr std::string_view k_proxy_socket = "proxy";

// What of the machine an agent's program needs to run, beside the system's.
struct Installation {
  std::string program = {};                   // its file, without links
  std::string path = {};                      // PATH, as it is inside
  std::vector<sandbox::Mount> read_only = {}; // files, and the `node_modules` that it is in
};

// Looks at the file and its interpreter. Blocks. not_found, and what reading gives.
Result<Installation> find_installation(const std::string& program, const std::string& path);

// The program that carries an agent's connections out of its sandbox, beside our own. unavailable
// where it is not.
Result<std::string> find_forwarder();

// The folders of a run as they are seen from inside.
CliFolders enclosed_folders();

// The program in the sandbox: its argv, environment and folder are as seen from inside, the folders
// are the run's. With a socket its loopback leads there; without, nowhere.
sandbox::Enclosed enclosed(runtime::ChildProgram program,
                           const Installation& installation,
                           const CliFolders& folders,
                           const std::string& socket,
                           const std::string& forwarder);

} // namespace upskill::students
