#include "protocol/mcp/base64.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace upskill::mcp {
namespace {

constexpr std::string_view k_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Of each byte its number in the alphabet; 64 where it is not in it.
constexpr std::array<std::uint8_t, 256> k_numbers = [] {
  std::array<std::uint8_t, 256> numbers{};
  numbers.fill(64);
  for (std::size_t i = 0; i < k_alphabet.size(); ++i) {
    numbers[static_cast<std::uint8_t>(k_alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return numbers;
}();

} // namespace

std::string base64(std::string_view bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::size_t have = bytes.size() - at;
    auto byte = [&](std::size_t i) {
      return i < have ? static_cast<std::uint8_t>(bytes[at + i]) : std::uint8_t{0};
    };
    std::uint32_t group = static_cast<std::uint32_t>(byte(0) << 16 | byte(1) << 8 | byte(2));
    out += k_alphabet[group >> 18];
    out += k_alphabet[group >> 12 & 63];
    out += have > 1 ? k_alphabet[group >> 6 & 63] : '=';
    out += have > 2 ? k_alphabet[group & 63] : '=';
  }
  return out;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t group = 0;
  int bits = 0;
  for (char c : text) {
    const std::uint8_t number = k_numbers[static_cast<std::uint8_t>(c)];
    if (number == 64) {
      return std::nullopt;
    }
    group = (group << 6 | number) & 0xFFFFFF;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>(group >> bits & 0xFF);
    }
  }
  return out;
}

} // namespace upskill::mcp
