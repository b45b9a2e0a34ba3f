#pragma once
#include "skills/regression/settings.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::regression {

// What samples took.
struct Spending {
  double usd = 0; // US dollars
  std::int64_t tokens = 0;
  std::int64_t runs = 0; // samples

  Spending& operator+=(const Spending& other);

  friend bool operator==(const Spending&, const Spending&) = default;
};

struct Headroom {
  Allowance left = {}; // the least of all that applies; never below 0, nothing: without a bound
  // Something is left of all that has a bound.
  bool is_open = true;
  // Where it is not: Unix time in ms when it is, if nothing more is spent; none where a limit is 0.
  std::optional<std::int64_t> again_at = {};
};

// What was spent in the last day, by skill. Times are Unix times in ms, given in any order; entries
// that are older than a day count no more. An entry of a clock that was ahead counts as one of the
// moment in which that is noticed, so that a clock put back frees nothing. Kept in steps of five
// minutes, each of them as long as its end: a budget may be freed so much late, never early. A
// skill has 300 steps at most. Skills beyond `k_most_skills` share an account of their own.
//
// Owned by whoever spends; one thread; filled again from the store after a restart.
class Ledger {
public:
  void spend(std::string_view skill, std::int64_t at, const Spending& spending, std::int64_t now);

  // What `skill` may spend now by its own budget, and by the one of all skills together.
  Headroom headroom(std::string_view skill,
                    const WatchBudget& own,
                    const WatchBudget& all,
                    std::int64_t now);

  Spending spent(std::string_view skill, std::int64_t within, std::int64_t now);
  Spending spent_in_all(std::int64_t within, std::int64_t now);

  static constexpr std::int64_t k_step = 300'000;
  static constexpr std::int64_t k_hour = 3'600'000;
  static constexpr std::int64_t k_day = 86'400'000;
  static constexpr std::size_t k_most_skills = 4'096;

private:
  struct Step {
    std::int64_t end = 0; // counts until a day after it
    Spending spending = {};
  };

  using Account = std::deque<Step>; // in the order of time

  static void enter(Account& account, std::int64_t end, const Spending& spending);
  static void settle(Account& account, std::int64_t now);
  static Spending sum(const Account& account, std::int64_t within, std::int64_t now);
  static void apply(const Account& account,
                    const Allowance& limit,
                    std::int64_t within,
                    std::int64_t now,
                    Headroom& headroom);
  Account& account_of(std::string_view skill, std::int64_t now);

  std::map<std::string, Account, std::less<>> m_accounts = {};
  Account m_shared = {};
  Account m_all = {};
};

} // namespace upskill::regression
