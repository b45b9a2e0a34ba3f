#include "protocol/mcp/base64.h"

#include <cstddef>
#include <cstdint>

namespace upskill::mcp {

std::string base64(std::string_view bytes) {
  static constexpr char k_alphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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

} // namespace upskill::mcp
