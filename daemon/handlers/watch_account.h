#pragma once
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
  WatchAccount(WatchRoom room, const WatchExam& exam)
      : m_room(room)
      , m_exam(exam) {}

  // What is under way will cost something, too: about as much as those before did.
  bool may_spend(std::size_t under_way) const;

  // What was answered before cost nothing.
  void count(const EvalSample& sample);

  const regression::Spending& spent() const { return m_spent; }

  // US dollars; none: a model does not tell.
  std::optional<double> cost() const {
    return m_is_cost_known ? std::optional(m_spent.usd) : std::nullopt;
  }

  // Keeps what was spent since the last time, so that no daemon after us spends it again.
  asio::awaitable<void> save();

  // Something is worth being kept in the middle of a test.
  bool is_much_unsaved() const { return m_unsaved.runs >= k_save_every; }

private:
  static constexpr std::int64_t k_save_every = 10; // samples

  WatchRoom m_room;
  const WatchExam& m_exam;
  regression::Spending m_spent = {};
  regression::Spending m_unsaved = {};
  bool m_is_cost_known = true;
};

} // namespace upskill::daemon
