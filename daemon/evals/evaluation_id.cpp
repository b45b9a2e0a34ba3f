#include "daemon/evals/evaluation_id.h"

#include "protocol/base/random.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace upskill::evals {
namespace {

constexpr std::string_view k_prefix = "eval-";
constexpr std::string_view k_digits = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford's base 32
constexpr std::size_t k_time_digits = 10;                                 // of 48 bits
constexpr std::size_t k_random_digits = 16;                               // of 80 bits

} // namespace

std::string new_evaluation_id(std::int64_t time_ms) {
  auto time = static_cast<std::uint64_t>(std::max<std::int64_t>(time_ms, 0));
  std::string id(k_prefix);
  for (std::size_t i = k_time_digits; i-- > 0;) {
    id += k_digits[time >> (5 * i) & 31];
  }
  std::array<unsigned char, k_random_digits> random{}; // five bits of each count
  fill_random(random);
  for (unsigned char byte : random) {
    id += k_digits[byte & 31];
  }
  return id;
}

} // namespace upskill::evals
