#include "daemon/install/plans.h"

#include "protocol/base/random.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr auto k_kept_for = std::chrono::minutes(10);
constexpr std::size_t k_most_plans = 16;
constexpr std::size_t k_token_bytes = 12;

} // namespace

std::shared_ptr<fetch::Offer> held(fetch::Offer offer, std::function<runtime::Pool&()> pool) {
  auto remove = [pool = std::move(pool)](fetch::Offer* old) {
    std::unique_ptr<fetch::Offer> gone(old);
    if (gone->fetched) {
      pool().leave([gone = std::move(gone)] {});
    }
  };
  return {std::make_unique<fetch::Offer>(std::move(offer)).release(), std::move(remove)};
}

Plans::Plans(const asio::any_io_executor& executor)
    : m_alarm(executor, [this] { forget_old(); }) {}

std::string Plans::keep(std::string caller, PlanContent content) {
  if (m_plans.size() == k_most_plans) {
    m_plans.pop_front();
  }
  m_plans.push_back({random_hex(k_token_bytes),
                     std::move(caller),
                     std::move(content),
                     runtime::Clock::now() + k_kept_for});
  m_alarm.set(m_plans.front().until);
  return m_plans.back().token;
}

void Plans::add(const std::string& token, const std::map<std::string, Digest>& shown) {
  auto plan = std::ranges::find(m_plans, token, &Plan::token);
  if (plan != m_plans.end()) {
    for (const auto& [what, hash] : shown) {
      plan->content.shown.insert_or_assign(what, hash);
    }
  }
}

const PlanContent* Plans::find(const std::string& token, const std::string& caller) const {
  auto plan = std::ranges::find(m_plans, token, &Plan::token);
  bool is_there =
      plan != m_plans.end() && plan->caller == caller && plan->until > runtime::Clock::now();
  return is_there ? &plan->content : nullptr;
}

void Plans::forget_old() {
  std::erase_if(m_plans,
                [now = runtime::Clock::now()](const Plan& plan) { return plan.until <= now; });
  if (!m_plans.empty()) {
    m_alarm.set(m_plans.front().until);
  }
}

} // namespace upskill::daemon
