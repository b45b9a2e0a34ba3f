#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::http {

// A place of this machine to listen at.
struct Address {
  bool is_ipv6 = false;   // [::1], else 127.0.0.1
  std::uint16_t port = 0; // 0: any that is free

  friend bool operator==(const Address&, const Address&) = default;
};

// `127.0.0.1:PORT`, `localhost:PORT` or `[::1]:PORT`. Nothing else is served: what comes from other
// machines, even with the token, is not encrypted.
Result<Address> parse_address(std::string_view text);

// `http://127.0.0.1:4147/mcp`
std::string url_of(const Address& address);

// A listening socket that does not block. `address.port` becomes the one that it got.
Result<UniqueFd> listen_at(Address& address);

} // namespace upskill::http
