#include "skills/sync/joined_rounds.h"

#include <algorithm>
#include <iterator>

namespace upskill::sync {

void join(std::optional<Round>& all, Round next) {
  if (!all) {
    all = std::move(next);
    return;
  }
  auto earlier = [](std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    return a && b ? std::min(a, b) : (a ? a : b);
  };
  std::ranges::move(next.steps, std::back_inserter(all->steps));
  std::ranges::move(next.warnings, std::back_inserter(all->warnings));
  std::ranges::move(next.again, std::back_inserter(all->again));
  all->in_sync = next.in_sync;
  all->again_at_ms = earlier(all->again_at_ms, next.again_at_ms);
  all->settles = next.settles ? next.settles : all->settles;
  all->retry_at_ms = earlier(all->retry_at_ms, next.retry_at_ms);
}

Result<Round> answer_of(std::optional<Round> all, Result<void> last, std::optional<Round>* done) {
  if (last) {
    return std::move(all).value_or(Round());
  }
  if (done != nullptr) {
    *done = std::move(all);
  }
  return fail(last.error());
}

} // namespace upskill::sync
