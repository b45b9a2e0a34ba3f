#include "daemon/fetch/git_failure.h"

#include "daemon/fetch/ascii.h"
#include "daemon/models/server_error.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace upskill::fetch {
namespace {

enum class Kind { too_large, no_space, no_program, host_key, owner, missing, login, unreachable };

struct Row {
  std::string_view text; // in lower case
  Kind kind;
};

// What git 2.39 to 2.50, OpenSSH and the large hosts say; the first that occurs counts.
constexpr std::array k_rows{Row{"died of signal 25", Kind::too_large}, // SIGXFSZ
                            Row{"file too large", Kind::too_large},
                            Row{"out of memory", Kind::too_large}, // RLIMIT_DATA
                            Row{"no space left on device", Kind::no_space},
                            Row{"cannot run ", Kind::no_program},
                            Row{"is not a git command", Kind::no_program},
                            Row{"host key verification failed", Kind::host_key},
                            Row{"dubious ownership", Kind::owner},
                            Row{"not exported", Kind::missing},
                            Row{"could not read username", Kind::login},
                            Row{"could not read password", Kind::login},
                            Row{"authentication failed", Kind::login},
                            Row{"terminal prompts disabled", Kind::login},
                            Row{"permission denied (", Kind::login},
                            Row{"access denied", Kind::login},
                            Row{"returned error: 401", Kind::login},
                            Row{"returned error: 403", Kind::login},
                            Row{"could not resolve", Kind::unreachable},
                            Row{"connection refused", Kind::unreachable},
                            Row{"failed to connect", Kind::unreachable},
                            Row{"unable to connect", Kind::unreachable},
                            Row{"timed out", Kind::unreachable},
                            Row{"no route to host", Kind::unreachable},
                            Row{"network is unreachable", Kind::unreachable},
                            Row{"not found", Kind::missing},
                            Row{"does not exist", Kind::missing},
                            Row{"does not appear to be a git repository", Kind::missing},
                            Row{"no such file or directory", Kind::missing}};

// The line that says why: progress ends in returns, and what a server says begins with `remote: `.
std::string complaint(std::string_view said) {
  constexpr std::array<std::string_view, 4> k_marks{"fatal: ", "error: ", "ERROR: ", "ssh: "};
  std::string_view last;
  while (!said.empty()) {
    std::size_t end = std::min(said.find_first_of("\r\n"), said.size());
    std::string_view line = said.substr(0, end);
    said.remove_prefix(std::min(end + 1, said.size()));
    for (std::string_view mark : k_marks) {
      if (line.starts_with(mark)) {
        return models::short_quote(line.substr(mark.size()));
      }
    }
    last = line.empty() ? last : line;
  }
  return models::short_quote(last);
}

} // namespace

Error git_failure(std::string_view said, std::string_view name, std::string_view host) {
  const std::string text = lower_ascii(said);
  const auto row = std::ranges::find_if(
      k_rows, [&](const Row& known) { return text.find(known.text) != std::string::npos; });
  const std::string place = in_backticks(name);
  if (row == k_rows.end()) {
    std::string why = complaint(said);
    return {ErrorCode::unavailable,
            "git could not fetch " + place + (why.empty() ? "" : ": " + to_valid_utf8(why))};
  }
  switch (row->kind) {
  case Kind::too_large:
    return {ErrorCode::too_large, place + " is larger than a repository of skills may be"};
  case Kind::no_space:
    return {ErrorCode::no_space, "there is no space left to fetch " + place};
  case Kind::no_program:
    return {ErrorCode::unavailable,
            "git lacks a program to reach " + place + ": " + to_valid_utf8(complaint(said))};
  case Kind::host_key:
    return {ErrorCode::permission,
            "the host key of " + in_backticks(host) + " is not known, or has changed",
            "`ssh " + to_valid_utf8(host) + "` shows it and asks"};
  case Kind::owner:
    return {ErrorCode::permission,
            place + " belongs to somebody else",
            "git's setting `safe.directory` trusts it"};
  case Kind::missing:
    return {ErrorCode::not_found,
            "there is no git repository at " + place,
            "its name may be another, or git must log in to see it"};
  case Kind::login:
    return {ErrorCode::permission,
            place + " needs a login, or is not there",
            "a credential helper of git, or a key of ssh, must have one; git may ask nobody here"};
  case Kind::unreachable:
    return {ErrorCode::unavailable,
            in_backticks(host) + " cannot be reached: " + to_valid_utf8(complaint(said))};
  }
  return {ErrorCode::internal, "git failed"};
}

} // namespace upskill::fetch
