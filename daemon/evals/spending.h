#pragma once
#include "daemon/models/model.h"

#include <cstddef>
#include <optional>

namespace upskill::evals {

// What answers of models took beside those of the students, added up: it is spent, and no part of
// what an arm took. The sum of something unknown is unknown. Answers that were given before took
// nothing.
class Spending {
public:
  void add(const models::Answer& answer);

  // Answers that were paid for now.
  std::size_t asked() const { return m_asked; }

  std::size_t cached() const { return m_cached; }

  const models::Usage& usage() const { return m_usage; }

  std::optional<double> cost() const { return m_cost; } // US dollars

private:
  std::size_t m_asked = 0;
  std::size_t m_cached = 0;
  models::Usage m_usage{0, 0, 0, 0, 0};
  std::optional<double> m_cost = 0;
};

} // namespace upskill::evals
