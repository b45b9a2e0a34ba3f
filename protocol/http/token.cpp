#include "protocol/http/token.h"

#include "protocol/base/random.h"

#include <array>
#include <cstdint>

namespace upskill::http {
namespace {

constexpr std::string_view k_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

} // namespace

std::string random_token() {
  std::array<unsigned char, 32> bytes{};
  fill_random(bytes);
  std::string token;
  token.reserve(k_token_size);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (unsigned char byte : bytes) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 6;) {
      count -= 6;
      token += k_digits[bits >> count & 63];
    }
  }
  token += k_digits[bits << (6 - count) & 63];
  return token;
}

bool is_token(std::string_view text) {
  return text.size() == k_token_size && text.find_first_not_of(k_digits) == std::string_view::npos;
}

} // namespace upskill::http
