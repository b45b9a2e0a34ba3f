#include "skills/regression/ledger.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace upskill::regression {
namespace {

constexpr std::int64_t k_most_count = std::numeric_limits<std::int64_t>::max();

// Beyond all bounds is as good as all there is. Neither is below 0.
std::int64_t add_bounded(std::int64_t one, std::int64_t other) {
  return other > k_most_count - one ? k_most_count : one + other;
}

// What is unknown, or nonsense, is nothing spent.
Spending cleaned(const Spending& spending) {
  return {.usd = spending.usd > 0 && std::isfinite(spending.usd) ? spending.usd : 0,
          .tokens = std::max<std::int64_t>(spending.tokens, 0),
          .runs = std::max<std::int64_t>(spending.runs, 0)};
}

// Sums of dollars err; a millionth of a cent is no money.
constexpr double k_no_money = 1e-8;

double rest(double limit, double spent) {
  const double left = limit - spent;
  return left > k_no_money ? left : 0;
}

std::int64_t rest(std::int64_t limit, std::int64_t spent) {
  return limit > spent ? limit - spent : 0;
}

template <class Number>
void lower(std::optional<Number>& left, const std::optional<Number>& limit, Number spent) {
  if (limit) {
    const Number own = rest(*limit, spent);
    left = left ? std::min(*left, own) : own;
  }
}

Allowance left_of(const Allowance& limit, const Spending& spent) {
  Allowance left;
  lower(left.usd, limit.usd, spent.usd);
  lower(left.tokens, limit.tokens, spent.tokens);
  lower(left.runs, limit.runs, spent.runs);
  return left;
}

bool is_open(const Allowance& left) {
  return left.usd.value_or(1) > 0 && left.tokens.value_or(1) > 0 && left.runs.value_or(1) > 0;
}

} // namespace

Spending& Spending::operator+=(const Spending& other) {
  usd += other.usd;
  tokens = add_bounded(tokens, other.tokens);
  runs = add_bounded(runs, other.runs);
  return *this;
}

void Ledger::enter(Account& account, std::int64_t end, const Spending& spending) {
  auto place = std::ranges::lower_bound(account, end, {}, &Step::end);
  if (place == account.end() || place->end != end) {
    place = account.insert(place, {.end = end});
  }
  place->spending += spending;
}

void Ledger::settle(Account& account, std::int64_t now) {
  while (!account.empty() && account.front().end + k_day <= now) {
    account.pop_front();
  }
  const std::int64_t end = (now / k_step + 1) * k_step;
  Spending ahead;
  while (!account.empty() && account.back().end > end) {
    ahead += account.back().spending;
    account.pop_back();
  }
  if (ahead != Spending{}) {
    enter(account, end, ahead);
  }
}

Spending Ledger::sum(const Account& account, std::int64_t within, std::int64_t now) {
  Spending all;
  for (const Step& step : account) {
    if (step.end + within > now) {
      all += step.spending;
    }
  }
  return all;
}

void Ledger::apply(const Account& account,
                   const Allowance& limit,
                   std::int64_t within,
                   std::int64_t now,
                   Headroom& headroom) {
  const Allowance left = left_of(limit, sum(account, within, now));
  lower(headroom.left.usd, left.usd, 0.0);
  lower(headroom.left.tokens, left.tokens, std::int64_t{0});
  lower(headroom.left.runs, left.runs, std::int64_t{0});
  if (is_open(left)) {
    return;
  }
  const bool was_open = headroom.is_open;
  headroom.is_open = false;
  // The steps leave one after the other; so it is open when the last one leaves without which it
  // is.
  std::optional<std::int64_t> again;
  if (is_open(left_of(limit, {}))) {
    Spending later;
    for (auto step = account.rbegin(); step != account.rend() && !again; ++step) {
      later += step->spending;
      if (!is_open(left_of(limit, later))) {
        again = step->end + within;
      }
    }
  }
  const bool is_never = !again || (!was_open && !headroom.again_at);
  headroom.again_at = is_never ? std::nullopt : std::max(headroom.again_at, again);
}

// Where it would be one skill too many, those go that have spent nothing for a day.
Ledger::Account& Ledger::account_of(std::string_view skill, std::int64_t now) {
  if (const auto known = m_accounts.find(skill); known != m_accounts.end()) {
    return known->second;
  }
  if (m_accounts.size() >= k_most_skills) {
    for (auto one = m_accounts.begin(); one != m_accounts.end();) {
      settle(one->second, now);
      one = one->second.empty() ? m_accounts.erase(one) : std::next(one);
    }
  }
  return m_accounts.size() >= k_most_skills ? m_shared : m_accounts[std::string(skill)];
}

void Ledger::spend(std::string_view skill,
                   std::int64_t at,
                   const Spending& spending,
                   std::int64_t now) {
  now = std::clamp<std::int64_t>(now, 0, k_most_count / 2);
  at = std::clamp<std::int64_t>(at, 0, now);
  if (at + k_day + k_step <= now) {
    return;
  }
  const std::int64_t end = (at / k_step + 1) * k_step;
  Account& own = account_of(skill, now);
  for (Account* account : {&own, &m_all}) {
    enter(*account, end, cleaned(spending));
    settle(*account, now);
  }
}

Headroom Ledger::headroom(std::string_view skill,
                          const WatchBudget& own,
                          const WatchBudget& all,
                          std::int64_t now) {
  now = std::clamp<std::int64_t>(now, 0, k_most_count / 2);
  const auto known = m_accounts.find(skill);
  Account& account = known != m_accounts.end() ? known->second : m_shared;
  settle(account, now);
  settle(m_all, now);
  Headroom headroom;
  apply(account, own.hour, k_hour, now, headroom);
  apply(account, own.day, k_day, now, headroom);
  apply(m_all, all.hour, k_hour, now, headroom);
  apply(m_all, all.day, k_day, now, headroom);
  return headroom;
}

Spending Ledger::spent(std::string_view skill, std::int64_t within, std::int64_t now) {
  now = std::clamp<std::int64_t>(now, 0, k_most_count / 2);
  const auto known = m_accounts.find(skill);
  Account& account = known != m_accounts.end() ? known->second : m_shared;
  settle(account, now);
  return sum(account, within, now);
}

Spending Ledger::spent_in_all(std::int64_t within, std::int64_t now) {
  now = std::clamp<std::int64_t>(now, 0, k_most_count / 2);
  settle(m_all, now);
  return sum(m_all, within, now);
}

} // namespace upskill::regression
