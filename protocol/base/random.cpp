#include "protocol/base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <vector>

namespace upskill {

void fill_random(std::span<unsigned char> bytes) {
  while (!bytes.empty()) {
    ssize_t got = ::getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno != EINTR) {
      throw std::system_error(errno, std::generic_category(), "getrandom");
    }
    // A signal may have ended it early.
    bytes = bytes.subspan(got < 0 ? 0 : static_cast<std::size_t>(got));
  }
}

std::string random_hex(std::size_t bytes) {
  constexpr std::string_view k_digits = "0123456789abcdef";
  std::vector<unsigned char> random(bytes);
  fill_random(random);
  std::string hex;
  hex.reserve(2 * bytes);
  for (unsigned char byte : random) {
    hex += k_digits[byte >> 4];
    hex += k_digits[byte & 15];
  }
  return hex;
}

} // namespace upskill
