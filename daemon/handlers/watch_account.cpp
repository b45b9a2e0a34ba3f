#include "daemon/handlers/watch_account.h"

#include "daemon/await.h"
#include "skills/store/regression_store.h"

#include <utility>

namespace upskill::daemon {

bool WatchAccount::may_spend(std::size_t under_way) const {
  if (m_room.ledger == nullptr) {
    return true;
  }
  const regression::Headroom headroom = m_room.ledger->headroom(
      watch_key(m_exam.skill), m_exam.settings.budget, m_exam.total, m_room.journal.now_ms());
  const auto others = static_cast<double>(under_way);
  const regression::Allowance& left = headroom.left;
  return headroom.is_open && static_cast<double>(left.runs.value_or(1'000'000)) > others
         && (!left.tokens || static_cast<double>(*left.tokens) > mean_tokens() * others)
         && (!left.usd || *left.usd > mean_usd() * others);
}

double WatchAccount::mean_usd() const {
  return m_spent.runs > 0 ? m_spent.usd / static_cast<double>(m_spent.runs) : m_usd;
}

double WatchAccount::mean_tokens() const {
  return m_spent.runs > 0 ? static_cast<double>(m_spent.tokens) / static_cast<double>(m_spent.runs)
                          : m_tokens;
}

void WatchAccount::enter(const regression::Spending& one) {
  m_spent += one;
  m_unsaved += one;
  if (m_room.ledger != nullptr) {
    std::int64_t now_ms = m_room.journal.now_ms();
    m_room.ledger->spend(watch_key(m_exam.skill), now_ms, one, now_ms);
  }
}

void WatchAccount::count(const EvalSample& sample) {
  if (sample.cached) {
    return;
  }
  m_is_cost_known = m_is_cost_known && sample.cost.has_value();
  enter({.usd = sample.cost.value_or(0), .tokens = sample.tokens.total.value_or(0), .runs = 1});
}

void WatchAccount::count_cut_off() {
  enter({.usd = mean_usd(), .tokens = static_cast<std::int64_t>(mean_tokens()), .runs = 1});
}

void WatchAccount::count_judge(const evals::Spending& total) {
  const models::Usage& usage = total.usage();
  regression::Spending now{.usd = total.cost().value_or(m_judged.usd),
                           .tokens = usage.input.value_or(0) + usage.cache_read.value_or(0)
                                     + usage.cache_write.value_or(0) + usage.output.value_or(0)};
  m_is_cost_known = m_is_cost_known && total.cost().has_value();
  if (now != m_judged) {
    enter({.usd = now.usd - m_judged.usd, .tokens = now.tokens - m_judged.tokens});
    m_judged = now;
  }
}

asio::awaitable<void> WatchAccount::save() {
  const regression::Spending saved = std::exchange(m_unsaved, {});
  if (saved == regression::Spending{}) {
    co_return;
  }
  const bool throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
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
  co_await asio::this_coro::throw_if_cancelled(throws);
}

} // namespace upskill::daemon
