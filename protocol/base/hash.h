#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace upskill {

// A SHA-256 digest (FIPS 180-4).
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  // 64 lower-case hexadecimal digits.
  std::string hex() const;
  // The first `digits` of hex(), for people.
  std::string brief(std::size_t digits = 12) const;
  // Nothing unless `text` is 64 hexadecimal digits.
  static std::optional<Digest> from_hex(std::string_view text);

  friend auto operator<=>(const Digest&, const Digest&) = default;
};

Digest sha256(std::string_view bytes);

// HMAC-SHA-256 (RFC 2104); `key` is at most 64 bytes.
Digest hmac_sha256(std::string_view key, std::string_view bytes);

// Whether both are the same, in a time that depends on their lengths only: for codes that an
// attacker guesses at.
bool equal_in_constant_time(std::string_view a, std::string_view b);

// SHA-256 over pieces.
class Sha256 {
public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(std::string_view bytes);
  // A length-framed piece (8 bytes little endian, then the bytes), so that ("a", "bc") and
  // ("ab", "c") differ.
  void update_framed(std::string_view bytes);
  void update_number(std::uint64_t value);
  // Ends the computation; call once.
  Digest finish();

private:
  struct State;
  std::unique_ptr<State> m_state;
};

} // namespace upskill

template <> struct std::hash<upskill::Digest> {
  std::size_t operator()(const upskill::Digest& digest) const noexcept {
    std::size_t value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) {
      value = value << 8 | digest.bytes[i];
    }
    return value;
  }
};
