#include "daemon/fetch/address_rule.h"

#include "protocol/base/utf8.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace upskill::fetch {
namespace {

struct Block4 {
  std::uint32_t first;
  int bits;
  AddressKind kind;
};

constexpr std::uint32_t v4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return a << 24 | b << 16 | c << 8 | d;
}

// IANA's special-purpose registry, and where clouds answer their own machines' questions. The first
// that holds an address counts.
constexpr std::array<Block4, 22> k_blocks4{{
    {v4(0, 0, 0, 0), 8, AddressKind::never}, // Linux: this machine
    {v4(10, 0, 0, 0), 8, AddressKind::near},
    {v4(100, 100, 100, 200), 32, AddressKind::never}, // Alibaba's metadata
    {v4(100, 64, 0, 0), 10, AddressKind::near},       // shared by a carrier
    {v4(127, 0, 0, 0), 8, AddressKind::loopback},
    {v4(168, 63, 129, 16), 32, AddressKind::never}, // Azure's
    {v4(169, 254, 169, 0), 24, AddressKind::never}, // AWS, Google, Azure, and others
    {v4(169, 254, 170, 0), 24, AddressKind::never}, // AWS: credentials of containers
    {v4(169, 254, 0, 0), 16, AddressKind::near},
    {v4(172, 16, 0, 0), 12, AddressKind::near},
    {v4(192, 0, 0, 0), 24, AddressKind::never}, // protocols; Oracle's metadata
    {v4(192, 0, 2, 0), 24, AddressKind::never}, // documentation
    {v4(192, 31, 196, 0), 24, AddressKind::never},
    {v4(192, 52, 193, 0), 24, AddressKind::never},
    {v4(192, 88, 99, 0), 24, AddressKind::never}, // relays of 6to4
    {v4(192, 168, 0, 0), 16, AddressKind::near},
    {v4(192, 175, 48, 0), 24, AddressKind::never},
    {v4(198, 18, 0, 0), 15, AddressKind::near}, // benchmarks
    {v4(198, 51, 100, 0), 24, AddressKind::never},
    {v4(203, 0, 113, 0), 24, AddressKind::never},
    {v4(224, 0, 0, 0), 4, AddressKind::never}, // multicast
    {v4(240, 0, 0, 0), 4, AddressKind::never}, // reserved, broadcast
}};

AddressKind kind_of_v4(std::uint32_t address) {
  for (const Block4& block : k_blocks4) {
    if ((address ^ block.first) >> (32 - block.bits) == 0) {
      return block.kind;
    }
  }
  return AddressKind::open;
}

using Bytes6 = std::array<std::uint8_t, 16>;

bool begins(const Bytes6& address, std::initializer_list<std::uint8_t> bytes) {
  return std::equal(bytes.begin(), bytes.end(), address.begin());
}

AddressKind held_v4(const Bytes6& address, std::size_t at) {
  return kind_of_v4(v4(address[at], address[at + 1], address[at + 2], address[at + 3]));
}

AddressKind kind_of_v6(const Bytes6& address) {
  constexpr Bytes6 k_loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  constexpr Bytes6 k_metadata_aws{0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54};
  constexpr Bytes6 k_metadata_google{0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0x54};
  if (address == k_loopback) {
    return AddressKind::loopback;
  }
  if (address == k_metadata_aws || address == k_metadata_google) {
    return AddressKind::never;
  }
  if (begins(address, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}) && address[10] == address[11]
      && (address[10] == 0 || address[10] == 0xff)) {
    return held_v4(address, 12); // mapped, or compatible
  }
  if (begins(address, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) {
    return held_v4(address, 12); // NAT64
  }
  if (begins(address, {0, 0x64, 0xff, 0x9b, 0, 1})) {
    return AddressKind::near; // NAT64 of a network's own
  }
  if (begins(address, {0x20, 0x02})) {
    return held_v4(address, 2); // 6to4
  }
  if ((address[8] | 2) == 2 && address[9] == 0 && address[10] == 0x5e && address[11] == 0xfe) {
    return std::max(held_v4(address, 12), AddressKind::near); // ISATAP: tunnelled by this machine
  }
  if ((address[0] & 0xfe) == 0xfc || (address[0] == 0xfe && (address[1] & 0x80) != 0)) {
    return AddressKind::near; // ULA, link-local, site-local
  }
  bool is_special = begins(address, {0x20, 0x01, 0, 0})                      // Teredo
                    || begins(address, {0x20, 0x01, 0, 2, 0, 0})             // benchmarks
                    || begins(address, {0x20, 0x01, 0x0d, 0xb8})             // documentation
                    || (begins(address, {0x3f, 0xff}) && address[2] < 0x10); // the same
  return (address[0] & 0xe0) == 0x20 && !is_special ? AddressKind::open : AddressKind::never;
}

} // namespace

AddressKind kind_of(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in known{};
    std::memcpy(&known, &address, sizeof known);
    return kind_of_v4(ntohl(known.sin_addr.s_addr));
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 known{};
    std::memcpy(&known, &address, sizeof known);
    Bytes6 bytes{};
    std::memcpy(bytes.data(), &known.sin6_addr, bytes.size());
    return kind_of_v6(bytes);
  }
  return AddressKind::never;
}

std::optional<AddressKind> kind_of(std::string_view host) {
  std::string text(host);
  in_addr known{};
  if (::inet_aton(text.c_str(), &known) != 0) {
    return kind_of_v4(ntohl(known.s_addr));
  }
  Bytes6 bytes{};
  if (::inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) {
    return kind_of_v6(bytes);
  }
  if (host == "localhost" || host.ends_with(".localhost")) {
    return AddressKind::loopback; // RFC 6761, 6.3
  }
  return std::nullopt;
}

Result<void> AddressRule::check(AddressKind kind) const {
  if (kind == AddressKind::never) {
    return fail(ErrorCode::refused,
                in_backticks(where) + " has an address that nothing is fetched from",
                "name a source at a public address");
  }
  if (kind == AddressKind::open) {
    if (is_plain) {
      return fail(ErrorCode::refused,
                  in_backticks(where)
                      + " is asked over http, where anyone on the way can change "
                        "the answer",
                  "use `https://`; http goes to private addresses only");
    }
    return {};
  }
  if (by == NamedBy::person || is_listed) {
    return {};
  }
  return fail(
      ErrorCode::refused,
      in_backticks(where)
          + (kind == AddressKind::loopback ? " is this machine" : " is in a private network")
          + ", where only a person may lead",
      "if you trust it, add it to `install.private_hosts` of your configuration");
}

AddressRule rule_for(const install::WebAddress& to,
                     const install::WebAddress& first,
                     const FetchSetting& setting) {
  bool is_first = to.host == first.host && to.port == first.port;
  return {.by = is_first ? setting.by : NamedBy::other,
          .is_listed = is_listed(setting.private_hosts, to),
          .is_plain = to.is_plain,
          .where = to.where()};
}

bool is_listed(std::span<const std::string> hosts, const install::WebAddress& address) {
  return std::ranges::any_of(hosts, [&](std::string host) {
    std::ranges::transform(host, host.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return host == address.host || host == address.where() || host == "[" + address.host + "]";
  });
}

} // namespace upskill::fetch
