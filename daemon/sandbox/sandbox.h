#pragma once
#include "daemon/runtime/asio.h"
#include "daemon/runtime/child_process.h"
#include "daemon/runtime/condition.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill::sandbox {

// Where a workspace is, inside: the same for every sample, so that its path tells arms, runs and
// machines apart in no prompt and no output.
inline constexpr std::string_view k_workspace = "/workspace";

// A folder or file as it is seen from inside.
struct Mount {
  std::string from = {}; // absolute; must exist
  std::string at = {};   // absolute, and nothing of the system's own
};

// What the kernel keeps for each process inside, or for all of them.
struct Bounds {
  std::uint64_t memory = 2ull << 30;    // bytes of data of a process (RLIMIT_DATA)
  std::uint64_t file = 256ull << 20;    // bytes of a file that is written
  std::uint64_t descriptors = 1024;     // of a process
  std::uint64_t processes = 256;        // of all; the kernel does not hold root to it
  std::uint64_t scratch = 256ull << 20; // bytes of /tmp, /home and /dev/shm, each
};

// A program that is to run inside. Of `program`, `argv`, `environment` (beside PATH, HOME, LANG and
// TMPDIR), and `folder` (empty: the workspace) are as seen from inside; `limits` and `descriptors`
// are not used.
struct Enclosed {
  runtime::ChildProgram program = {};
  std::string workspace = {}; // absolute; readable and writable as k_workspace
  std::vector<Mount> read_only = {};
  std::vector<Mount> writable = {};
  bool share_net = false; // with the network, for agents whose model is elsewhere
  Bounds bounds = {};
};

// Runs programs where they see the system's programs, one workspace and what is mounted for them,
// and reach nothing else: no home folder, no other process, no network. It is bubblewrap, with
// namespaces that need no rights. What cannot be run inside is not run.
// Owner: the daemon, or a call. Thread: that of its executor only. Lifetime: longer than its runs.
class Sandbox {
public:
  explicit Sandbox(std::string program = "bwrap");

  // Whether it works here, tried until it does. unavailable says what is missing.
  asio::awaitable<Result<void>> check();

  // run_child() of that program, inside. No more of them at a time than a few for each processor:
  // others wait, and their time has not begun. An exit code of 128 and more is a signal, as shells
  // tell it; 127 is a program that is not there. Errors: unavailable where it cannot run inside,
  // invalid_argument, and those of run_child().
  asio::awaitable<Result<runtime::ChildEnd>> run(Enclosed enclosed);

private:
  asio::awaitable<Result<runtime::ChildEnd>> run_inside(Enclosed enclosed);

  class Place;

  std::string m_program;
  bool m_works = false; // seen once; what does not work may be mended meanwhile
  std::size_t m_running = 0;
  std::optional<runtime::Condition> m_freed = {};
};

} // namespace upskill::sandbox
