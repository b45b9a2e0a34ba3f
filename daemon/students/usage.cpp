#include "daemon/students/usage.h"

#include <algorithm>

namespace upskill::students {
namespace {

using Count = std::optional<std::int64_t>;

Count sum(const Count& a, const Count& b) {
  return a && b ? Count(*a + *b) : std::nullopt;
}

} // namespace

std::optional<std::uint64_t> total_tokens(const models::Usage& usage) {
  if (!usage.input || !usage.output) {
    return std::nullopt;
  }
  std::int64_t total =
      *usage.input + *usage.output + usage.cache_read.value_or(0) + usage.cache_write.value_or(0);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(total, 0));
}

models::Usage sum(const models::Usage& a, const models::Usage& b) {
  return {.input = sum(a.input, b.input),
          .cache_read = sum(a.cache_read, b.cache_read),
          .cache_write = sum(a.cache_write, b.cache_write),
          .output = sum(a.output, b.output),
          .reasoning = sum(a.reasoning, b.reasoning)};
}

} // namespace upskill::students
