#pragma once
#include "daemon/evals/spending.h"
#include "daemon/handlers/watch_exam.h"
#include "protocol/types/eval_reports.h"
#include "skills/regression/ledger.h"

#include <cstddef>
#include <optional>

namespace upskill::daemon {

// What one test spends, and whether it may spend more.
// Owner: the test. Thread: the daemon's. Lifetime: not longer than the room and the exam.
class WatchAccount {
public:
  // `mean`: what a sample of the accepted version took, until one of this test is known.
  WatchAccount(WatchRoom room, const WatchExam& exam, const RecordedSubject& mean)
      : m_room(room)
      , m_exam(exam)
      , m_usd(mean.usd.value_or(0))
      , m_tokens(mean.tokens.value_or(0)) {}

  // What is under way will cost something, too: about as much as those before did.
  bool may_spend(std::size_t under_way) const;

  // What was answered before cost nothing.
  void count(const EvalSample& sample);
  // One that was cut off is paid for all the same: about what the others took.
  void count_cut_off();
  // All that judges have taken by now.
  void count_judge(const evals::Spending& total);

  const regression::Spending& spent() const { return m_spent; }

  // US dollars; none: a model does not tell.
  std::optional<double> cost() const {
    return m_is_cost_known ? std::optional(m_spent.usd) : std::nullopt;
  }

  // Keeps what was spent since the last time, so that no daemon after us spends it again. Cannot be
  // cut short.
  asio::awaitable<void> save();

  // Something is worth being kept in the middle of a test.
  bool is_much_unsaved() const { return m_unsaved.runs >= k_save_every; }

private:
  static constexpr std::int64_t k_save_every = 10; // samples

  void enter(const regression::Spending& one);
  double mean_usd() const;
  double mean_tokens() const;

  WatchRoom m_room;
  const WatchExam& m_exam;
  double m_usd; // of a sample of the accepted version
  double m_tokens;
  regression::Spending m_judged = {}; // that is entered
  regression::Spending m_spent = {};
  regression::Spending m_unsaved = {};
  bool m_is_cost_known = true;
};

// A sample that is asked; where it never comes in, because its test has ended, it was paid for.
class CutOff {
public:
  CutOff(WatchAccount& account, bool costs)
      : m_account(account)
      , m_costs(costs) {}

  CutOff(const CutOff&) = delete;
  CutOff& operator=(const CutOff&) = delete;

  ~CutOff() {
    if (m_costs) {
      m_account.count_cut_off();
    }
  }

  void came_in() { m_costs = false; }

private:
  WatchAccount& m_account;
  bool m_costs;
};

} // namespace upskill::daemon
