#pragma once
#include "daemon/runtime/asio.h"
#include "daemon/runtime/child_process_start.h"
#include "daemon/runtime/timers.h"
#include "protocol/base/result.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::runtime {

// What happens to output beyond the bytes that are kept.
enum class Excess {
  drop, // it is read and forgotten, and the program goes on
  kill  // the program is ended
};

// A program to run, and what it may take.
struct ChildProgram {
  std::vector<std::string> argv = {};        // the first: a path, or a name in the PATH below
  std::vector<std::string> environment = {}; // `NAME=value`: all that it gets
  std::string folder = {};                   // its working directory; empty: `/`
  std::optional<std::string> input = {};     // its standard input; none: /dev/null
  std::size_t max_output = 1u << 20;         // bytes that are kept
  std::size_t max_errors = 64u << 10;        // bytes that are kept
  Excess excess = Excess::drop;
  Clock::duration limit = std::chrono::seconds(60); // wall clock
  std::optional<Clock::duration> idle_limit = {};   // without a byte of output or errors
  Clock::duration grace = std::chrono::seconds(2);  // between SIGTERM and SIGKILL
  std::vector<ResourceLimit> limits = {};
  std::vector<int> descriptors = {}; // its 3, 4 and so on; the caller's, open until it is started
  // Told of each line of the output as it comes, without its newline, also of what is not kept;
  // the rest of a line beyond `max_line` is left out. It must not throw.
  std::function<void(std::string_view line)> on_line = {};
  std::size_t max_line = 1u << 20; // bytes
};

// How it ended.
struct ChildEnd {
  std::optional<int> exit_code = {}; // one of these two
  std::optional<int> signal = {};
  bool timed_out = false;  // after `limit`, or `idle_limit`: we ended it
  bool is_idle = false;    // it was `idle_limit`
  bool was_excess = false; // we ended it because of Excess::kill
  std::string output = {};
  std::string errors = {};
  bool output_truncated = false;
  bool errors_truncated = false;
  std::chrono::milliseconds took = {};

  bool is_success() const { return exit_code == 0 && !timed_out && !was_excess; }
};

// Runs a program to its end, on the loop: nothing blocks, and there is no signal handler. Its time
// being up, or the call being cancelled, its process group gets SIGTERM and, after the grace,
// SIGKILL; the call ends when the program has. What its own children in that group still do then is
// ended too, so that whoever keeps the pipes open keeps nobody waiting; what they left in the pipes
// is read. It dies with the thread that runs the loop.
// An exit code, a signal, or a time that is up is a ChildEnd. Errors: those of start_child, and
// unavailable for what even SIGKILL has not ended within ten seconds.
asio::awaitable<Result<ChildEnd>> run_child(ChildProgram program);

} // namespace upskill::runtime
