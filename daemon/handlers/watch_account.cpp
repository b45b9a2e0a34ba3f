#include "daemon/handlers/watch_account.h"

#include "daemon/await.h"
#include "skills/store/regression_store.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {

bool WatchAccount::may_spend(std::size_t under_way) const {
  if (m_room.ledger == nullptr) {
    return true;
  }
  const regression::Headroom headroom = m_room.ledger->headroom(
      watch_key(m_exam.skill), m_exam.settings.budget, m_exam.total, m_room.journal.now_ms());
  const auto others = static_cast<std::int64_t>(under_way);
  const std::int64_t runs = std::max<std::int64_t>(m_spent.runs, 1);
  const regression::Allowance& left = headroom.left;
  return headroom.is_open && left.runs.value_or(others + 1) > others
         && (!left.tokens || *left.tokens > m_spent.tokens / runs * others)
         && (!left.usd
             || *left.usd > m_spent.usd / static_cast<double>(runs) * static_cast<double>(others));
}

void WatchAccount::count(const EvalSample& sample) {
  if (sample.cached) {
    return;
  }
  regression::Spending one{
      .usd = sample.cost.value_or(0), .tokens = sample.tokens.total.value_or(0), .runs = 1};
  m_spent += one;
  m_unsaved += one;
  m_is_cost_known = m_is_cost_known && sample.cost.has_value();
  if (m_room.ledger != nullptr) {
    std::int64_t now_ms = m_room.journal.now_ms();
    m_room.ledger->spend(watch_key(m_exam.skill), now_ms, one, now_ms);
  }
}

asio::awaitable<void> WatchAccount::save() {
  const regression::Spending saved = std::exchange(m_unsaved, {});
  if (saved.runs == 0) {
    co_return;
  }
  store::SpendingRow row{m_room.journal.now_ms(), watch_key(m_exam.skill)};
  row.usd = saved.usd;
  row.tokens = saved.tokens;
  row.runs = saved.runs;
  auto put = [&](store::EvalStore& store) {
    return store::RegressionStore(store).add_spending(row);
  };
  AWAIT(Result<void> kept, m_room.journal.with(std::move(put)));
  if (!kept) {
    m_room.library.service().context().log.warning("what a test spent is not kept: {}",
                                                   kept.error().message);
  }
}

} // namespace upskill::daemon
