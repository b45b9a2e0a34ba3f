#include "daemon/evals/spending.h"

namespace upskill::evals {
namespace {

template <class T> void add_known(std::optional<T>& sum, const std::optional<T>& one) {
  sum = sum && one ? std::optional<T>(*sum + *one) : std::nullopt;
}

} // namespace

void Spending::add(const models::Answer& answer) {
  if (answer.cached) {
    ++m_cached;
    return;
  }
  ++m_asked;
  add_known(m_usage.input, answer.usage.input);
  add_known(m_usage.cache_read, answer.usage.cache_read);
  add_known(m_usage.cache_write, answer.usage.cache_write);
  add_known(m_usage.output, answer.usage.output);
  add_known(m_usage.reasoning, answer.usage.reasoning);
  add_known(m_cost, answer.cost);
}

} // namespace upskill::evals
