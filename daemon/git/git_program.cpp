#include "daemon/git/git_program.h"

#include "daemon/await.h"
#include "daemon/runtime/child_process.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"

#include <signal.h>

#include <array>
#include <chrono>
#include <utility>

namespace upskill::git {
namespace {

constexpr std::size_t k_longest_complaint = 300; // bytes

// What a repository's configuration may not change. The sparse checkout and the split index are
// about its own work tree and index, and we use others.
constexpr std::array k_settings{"core.fsmonitor=false",
                                "core.hooksPath=/dev/null",
                                "core.sparseCheckout=false",
                                "core.splitIndex=false",
                                "core.quotePath=false",
                                "advice.detachedHead=false"};

runtime::ChildProgram program_of(GitCall call) {
  const Environment own = process_environment();
  runtime::ChildProgram program;
  program.argv = {"git", "--no-pager", "--no-optional-locks", "--literal-pathspecs"};
  for (const char* setting : k_settings) {
    program.argv.emplace_back("-c");
    program.argv.emplace_back(setting);
  }
  for (std::string& argument : call.arguments) {
    program.argv.push_back(std::move(argument));
  }
  program.environment = {"PATH=" + own("PATH").value_or("/usr/local/bin:/usr/bin:/bin"),
                         "HOME=" + call.home,
                         "LC_ALL=C",
                         "GIT_TERMINAL_PROMPT=0",
                         "GIT_OPTIONAL_LOCKS=0",
                         "GIT_PAGER=cat"};
  // Who keeps a git configuration elsewhere says so by these.
  for (std::string_view name : {"XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"}) {
    if (std::optional<std::string> value = own(name)) {
      program.environment.push_back(std::string(name) + "=" + *value);
    }
  }
  if (!call.index.empty()) {
    program.environment.push_back("GIT_INDEX_FILE=" + call.index);
  }
  // Beside these the words `-c` would do, but for a name with `=` in it, which addresses have.
  program.environment.push_back("GIT_CONFIG_COUNT=" + std::to_string(call.settings.size()));
  for (std::size_t i = 0; i < call.settings.size(); ++i) {
    const auto& [name, value] = call.settings[i];
    program.environment.push_back("GIT_CONFIG_KEY_" + std::to_string(i) + "=" + name);
    program.environment.push_back("GIT_CONFIG_VALUE_" + std::to_string(i) + "=" + value);
  }
  for (std::string& entry : call.environment) {
    program.environment.push_back(std::move(entry));
  }
  program.folder = std::move(call.folder);
  program.input = std::move(call.input);
  program.max_output = call.max_output;
  program.max_errors = call.max_errors;
  program.excess = runtime::Excess::kill;
  program.limit = call.limit;
  program.idle_limit = call.idle_limit;
  program.limits = std::move(call.limits);
  return program;
}

std::string minutes(runtime::Clock::duration time) {
  auto whole = std::chrono::duration_cast<std::chrono::minutes>(time).count();
  if (whole < 1) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count())
           + " ms";
  }
  return whole == 2 ? "two minutes" : std::to_string(whole) + " minutes";
}

std::string first_line(std::string_view errors) {
  std::string_view line = errors.substr(0, errors.find('\n'));
  return to_valid_utf8(utf8_prefix(line, k_longest_complaint));
}

} // namespace

asio::awaitable<Result<GitEnd>> run_git(GitCall call) {
  std::string what = "`git " + (call.arguments.empty() ? "" : call.arguments.front()) + "`";
  const runtime::Clock::duration limit = call.limit;
  const runtime::Clock::duration idle_limit = call.idle_limit.value_or(limit);
  AWAIT(Result<runtime::ChildEnd> end, runtime::run_child(program_of(std::move(call))));
  if (!end && end.error().code == ErrorCode::not_found) {
    co_return fail(ErrorCode::unavailable, "there is no `git` here", "install git");
  }
  CO_TRY(end);
  if (end->timed_out) {
    co_return fail(ErrorCode::timed_out,
                   end->is_idle ? what + " has said nothing for " + minutes(idle_limit)
                                : what + " has not ended within " + minutes(limit));
  }
  if (end->was_excess) {
    co_return fail(ErrorCode::too_large, what + " says more than we read");
  }
  if (end->signal == SIGXFSZ) {
    co_return fail(ErrorCode::too_large, what + " writes a larger file than it may");
  }
  if (!end->exit_code) {
    co_return fail(ErrorCode::unavailable, what + " was ended by a signal");
  }
  GitEnd told{*end->exit_code, std::move(end->output), first_line(end->errors), {}};
  told.said = std::move(end->errors);
  co_return told;
}

} // namespace upskill::git
