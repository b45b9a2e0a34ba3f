#pragma once
#include "daemon/fetch/fetch_setting.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

// What git is given as an address, understood as git does. Pure.
namespace upskill::fetch {

enum class GitTransport : std::uint8_t { http, https, ssh, git, file };

struct GitAddress {
  GitTransport transport = GitTransport::https;
  std::string text = {};
  std::string user = {};      // the `user@` of it, with the @
  std::string host = {};      // as it is written; empty for `file`
  std::string host_port = {}; // with its port where there is one
};

std::string_view to_string(GitTransport transport);

// Five transports and no other: `ext::COMMAND`, a path, what begins with a dash, and control
// characters are refused, with passwords, and a host that ssh would take for an option. Errors:
// invalid_argument, refused.
Result<GitAddress> read_git_address(std::string_view text);

// Whether this address may be asked at all. Of http and https each hop decides (http_fetch); over
// ssh and git the address behind a name cannot be checked, and ssh shows who we are: so others than
// a person may name only hosts of the person's list. `file` is a person's alone. Errors: refused.
Result<void> check_git_address(const GitAddress& address, const FetchSetting& setting);

} // namespace upskill::fetch
