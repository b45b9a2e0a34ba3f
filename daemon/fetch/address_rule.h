#pragma once
#include "daemon/fetch/fetch_setting.h"
#include "protocol/base/result.h"
#include "skills/install/web_address.h"

#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

// Who may reach which address. Pure: nobody is asked for an address here.
namespace upskill::fetch {

enum class AddressKind : std::uint8_t {
  open,     // of the internet
  loopback, // this machine
  near,     // a private network: RFC 1918, ULA, link-local, shared by a carrier
  never     // no server: unspecified, multicast, reserved, documentation; and a cloud's metadata
};

// Of the form that is really reached: IPv4 within IPv6 (mapped, compatible, 6to4, NAT64, Teredo) is
// looked at as what it holds, too. `never` for what is neither IPv4 nor IPv6.
AddressKind kind_of(const sockaddr& address);
// Of a host that is an address itself, as any resolver reads it: `127.1`, `0x7f000001`, `::1`.
// Nothing where it is a name.
std::optional<AddressKind> kind_of(std::string_view host);

// What is allowed on one hop.
struct AddressRule {
  NamedBy by = NamedBy::person; // who named this host and port
  bool is_listed = false;       // in the person's `install.private_hosts`
  bool is_plain = false;        // http
  std::string where = {};       // `host:port`, for messages

  Result<void> check(AddressKind kind) const;
};

// For a hop to `to`. `first` is what was named: a redirect to the same host and port is still
// there.
AddressRule rule_for(const install::WebAddress& to,
                     const install::WebAddress& first,
                     const FetchSetting& setting);

// Whether a list of hosts (`host` or `host:port`) has this one.
bool is_listed(std::span<const std::string> hosts, const install::WebAddress& address);

} // namespace upskill::fetch
