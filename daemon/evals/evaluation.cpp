#include "daemon/evals/evaluation.h"

#include "daemon/await.h"

#include <algorithm>
#include <utility>

namespace upskill::evals {

Evaluation::Evaluation(asio::any_io_executor executor,
                       const eval::CaseSuite& suite,
                       students::Student& student,
                       EvaluationOptions options)
    : m_options(std::move(options))
    , m_plan(eval::plan_samples(
          suite.cases.size(), m_options.runs, m_options.baseline, m_options.seed))
    , m_samples(m_plan.size())
    , m_drawer(
          suite, student, {m_options.skill, m_options.gatherers, m_options.pool, m_plan.size()})
    , m_tasks(executor, [this](std::exception_ptr failure) {
      // The first: what breaks while it is cancelled is a consequence.
      m_failure = m_failure ? m_failure : failure;
      m_tasks.cancel_all();
    }) {}

asio::awaitable<std::vector<EvalSample>> Evaluation::run() {
  std::size_t workers = std::min(std::max<std::size_t>(m_options.in_flight, 1), m_plan.size());
  for (std::size_t i = 0; i < workers; ++i) {
    m_tasks.start(draw_next());
  }
  AWAIT_DONE(m_tasks.see_through());
  if (m_failure) {
    std::rethrow_exception(m_failure);
  }
  co_return std::move(m_samples);
}

asio::awaitable<void> Evaluation::draw_next() {
  while (m_next < m_plan.size()) {
    std::size_t number = m_next++;
    AWAIT(m_samples[number], m_drawer.draw(m_plan[number]));
    ++m_done;
    if (m_options.progress) {
      m_options.progress(m_done, m_plan.size());
    }
  }
}

} // namespace upskill::evals
