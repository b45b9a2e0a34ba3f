#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::install {

// An http or https address, read strictly: whoever reads it after us must find the same host in it.
struct WebAddress {
  bool is_plain = false; // http
  std::string host = {}; // lower case; of IPv6 without brackets
  std::uint16_t port = 0;
  std::string path = {};  // begins with a slash, without `.` and `..`
  std::string query = {}; // with its `?`, or empty

  std::string origin() const; // `https://host`, with the port where it is not the usual one
  std::string text() const;   // the whole address; a fragment is not kept
  std::string where() const;  // `host:port`

  friend bool operator==(const WebAddress&, const WebAddress&) = default;
};

inline constexpr std::size_t k_longest_address = 4096; // bytes

// Errors: invalid_argument for another scheme, user names, what is no host or port, characters that
// no address has (blanks, control characters, backslashes, what is not ASCII), `%` with what is no
// byte.
Result<WebAddress> read_web_address(std::string_view text);

// What `reference` means where it is found at `base` (RFC 3986, 5.2).
Result<WebAddress> resolve_address(const WebAddress& base, std::string_view reference);

// Takes those parts out of a query (with its `?`, or empty) that say who asks, and are nobody
// else's to see: tokens, keys, passwords, signatures. Returns them, as `token=1&sig=2`.
std::string take_secrets(std::string& query);

// A path or name as a part of an address: what is not plain there is percent-encoded, slashes stay.
std::string encoded_path(std::string_view path);

} // namespace upskill::install
