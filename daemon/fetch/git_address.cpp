#include "daemon/fetch/git_address.h"

#include "daemon/fetch/ascii.h"
#include "protocol/base/utf8.h"

#include <algorithm>
#include <array>
#include <utility>

namespace upskill::fetch {
namespace {

constexpr std::size_t k_longest = 4096; // bytes
constexpr std::array<std::pair<std::string_view, GitTransport>, 5> k_schemes{
    {{"http", GitTransport::http},
     {"https", GitTransport::https},
     {"ssh", GitTransport::ssh},
     {"git", GitTransport::git},
     {"file", GitTransport::file}}};

tl::unexpected<Error> no_address(std::string_view text) {
  return fail(
      ErrorCode::invalid_argument,
      in_backticks(utf8_prefix(text, 200)) + " is no address of a git repository",
      "`https://host/owner/repo`, `git@host:owner/repo.git`, `ssh://`, `git://` or `file://`");
}

// `user@host:port` of it; without a closing bracket or a host it is none.
Result<void> read_authority(std::string_view authority, GitAddress& address) {
  std::size_t at = authority.rfind('@');
  if (at != std::string_view::npos) {
    address.user = authority.substr(0, at + 1);
    if (address.user.find(':') != std::string::npos) {
      return fail(ErrorCode::invalid_argument,
                  "an address must not hold a password",
                  "git's credential helpers know it");
    }
    authority.remove_prefix(at + 1);
  }
  std::size_t end = authority.starts_with('[') ? authority.find(']') : authority.find(':');
  end = authority.starts_with('[') && end != std::string_view::npos ? end + 1 : end;
  address.host = lower_ascii(authority.substr(0, end));
  address.host_port = lower_ascii(authority);
  if (address.host.empty() || address.host.front() == '-' || address.user.starts_with('-')) {
    return no_address(address.text);
  }
  return {};
}

} // namespace

std::string_view to_string(GitTransport transport) {
  return std::ranges::find(k_schemes, transport, [](const auto& row) { return row.second; })->first;
}

Result<GitAddress> read_git_address(std::string_view text) {
  const bool has_controls = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
  if (text.empty() || text.size() > k_longest || text.front() == '-' || has_controls) {
    return no_address(text);
  }
  GitAddress address;
  address.text = text;
  std::size_t scheme_end = text.find("://");
  std::size_t colon = text.find(':');
  if (scheme_end == std::string_view::npos || scheme_end != colon) {
    // `host:path` is ssh, as long as no slash comes first; `x::y` is a program of its own.
    if (colon == std::string_view::npos || colon == 0 || text.find('/') < colon
        || text.substr(colon).starts_with("::")) {
      return no_address(text);
    }
    address.transport = GitTransport::ssh;
    TRY(read_authority(text.substr(0, colon), address));
    return address;
  }
  const std::string scheme = lower_ascii(text.substr(0, scheme_end));
  auto known = std::ranges::find(k_schemes, scheme, [](const auto& row) { return row.first; });
  if (known == k_schemes.end()) {
    return no_address(text);
  }
  address.transport = known->second;
  std::string_view rest = text.substr(scheme_end + 3);
  if (address.transport == GitTransport::file) {
    return rest.starts_with('/') ? Result<GitAddress>(address) : no_address(text);
  }
  TRY(read_authority(rest.substr(0, rest.find_first_of("/?#")), address));
  return address;
}

Result<void> check_git_address(const GitAddress& address, const FetchSetting& setting) {
  const bool is_web =
      address.transport == GitTransport::http || address.transport == GitTransport::https;
  if (setting.by == NamedBy::person || is_web) {
    return {};
  }
  const auto& hosts = setting.private_hosts;
  const bool is_listed = std::ranges::find(hosts, address.host) != hosts.end()
                         || std::ranges::find(hosts, address.host_port) != hosts.end();
  if (address.transport == GitTransport::file || !is_listed) {
    return fail(
        ErrorCode::refused,
        in_backticks(address.text) + " may only be named by a person",
        address.transport == GitTransport::file
            ? "`upskill install` in a terminal takes it"
            : "`upskill install` in a terminal takes it; `install.private_hosts` allows a host");
  }
  return {};
}

} // namespace upskill::fetch
