#pragma once
#include "daemon/runtime/asio.h"
#include "daemon/runtime/child_process_start.h"
#include "daemon/runtime/timers.h"
#include "protocol/base/result.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upskill::git {

// One run of `git`.
struct GitCall {
  std::vector<std::string> arguments = {};
  std::string folder = {};               // where it runs
  std::string home = {};                 // whose settings count: `safe.directory` lies there
  std::string index = {};                // a file in place of the repository's own index
  std::optional<std::string> input = {}; // its standard input
  std::size_t max_output = 64u << 20;    // bytes; more is an error
  std::size_t max_errors = 64u << 10;    // likewise
  // Of its configuration; no file of a repository or a person says otherwise. A value may be any
  // text.
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::vector<std::string> environment = {};                // `NAME=value`, beside what it gets
  runtime::Clock::duration limit = std::chrono::minutes(2); // wall clock
  std::optional<runtime::Clock::duration> idle_limit = {};  // without a word of it
  std::vector<runtime::ResourceLimit> limits = {};          // RLIMIT_FSIZE: of a file it writes
};

struct GitEnd {
  int exit_code = 0;
  std::string output = {};
  std::string errors = {}; // its first line, cleaned
  std::string said = {};   // all of its standard error, as it came
};

// Runs git with nothing of the caller's environment but PATH, HOME and where its configuration
// lies: no pager, no question, no hook, no file system monitor, no optional lock, no other
// language. Ends it, and all that it started, when its time is up. An exit code is no error.
// Errors: unavailable where there is no git, or it was ended by a signal; timed_out; too_large,
// also for a file beyond RLIMIT_FSIZE.
asio::awaitable<Result<GitEnd>> run_git(GitCall call);

} // namespace upskill::git
