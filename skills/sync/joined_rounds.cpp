#include "skills/sync/joined_rounds.h"

#include <algorithm>
#include <iterator>

namespace upskill::sync {

Round joined(Round first, Round second) {
  auto earlier = [](std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    return a && b ? std::min(a, b) : (a ? a : b);
  };
  std::ranges::move(second.steps, std::back_inserter(first.steps));
  std::ranges::move(second.warnings, std::back_inserter(first.warnings));
  std::ranges::move(second.again, std::back_inserter(first.again));
  first.in_sync = second.in_sync;
  first.again_at_ms = earlier(first.again_at_ms, second.again_at_ms);
  first.retry_at_ms = earlier(first.retry_at_ms, second.retry_at_ms);
  return first;
}

Result<Round>
joined(std::optional<Round> first, Result<Round> last, std::optional<Round>* where_it_failed) {
  if (last && first) {
    return joined(std::move(*first), std::move(*last));
  }
  if (!last && where_it_failed != nullptr) {
    *where_it_failed = std::move(first);
  }
  return last;
}

} // namespace upskill::sync
