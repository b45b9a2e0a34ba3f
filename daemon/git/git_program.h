#pragma once
#include "daemon/runtime/asio.h"
#include "protocol/base/result.h"

#include <cstddef>
#include <optional>
#include <string>
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
};

struct GitEnd {
  int exit_code = 0;
  std::string output = {};
  std::string errors = {}; // its first line, cleaned
};

// Runs git with nothing of the caller's environment but PATH, HOME and where its configuration
// lies: no pager, no question, no hook, no file system monitor, no optional lock, no other
// language. Ends it after two minutes. An exit code is no error. Errors: unavailable where there is
// no git, or it was ended by a signal; timed_out; too_large.
asio::awaitable<Result<GitEnd>> run_git(GitCall call);

} // namespace upskill::git
