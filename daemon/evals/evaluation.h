#pragma once
#include "daemon/evals/sample_drawer.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "daemon/runtime/task_group.h"
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"
#include "skills/eval/case.h"
#include "skills/eval/plan.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace upskill::evals {

struct EvaluationOptions {
  std::uint32_t runs = 1;
  bool baseline = true;
  std::uint64_t seed = 1;
  std::size_t in_flight = 20; // samples of one model at a time
  std::string skill = {};     // whose cases these are: what `skill_used` is about
  std::vector<Gatherer*> gatherers = {};
  // Where answers are graded that take long; none: on the spot.
  std::optional<runtime::Pool::Share> pool = {};
  std::function<void(std::size_t done, std::size_t of)> progress = {};
};

// Draws the samples of one suite with one student, some at a time, and grades each. What cannot be
// had is an error of that sample; the others go on.
// Owner: a call. Thread: that of its executor only. Lifetime: until run() has returned.
class Evaluation {
public:
  // `suite` and `student` outlive it.
  Evaluation(asio::any_io_executor executor,
             const eval::CaseSuite& suite,
             students::Student& student,
             EvaluationOptions options);

  // Once. The samples in the order of the plan. Cancelled, it ends what is under way first; so it
  // does after an exception of the student, which is thrown on.
  asio::awaitable<std::vector<EvalSample>> run();

  // Why the first sample that could not be had could not.
  const std::optional<Error>& first_error() const { return m_drawer.first_error(); }

  // Why the first answer that could not be graded could not; empty: all could.
  const std::string& first_ungraded() const { return m_drawer.first_ungraded(); }

private:
  asio::awaitable<void> draw_next();

  EvaluationOptions m_options;
  std::vector<eval::PlannedSample> m_plan;
  std::vector<EvalSample> m_samples;
  SampleDrawer m_drawer;
  std::size_t m_next = 0;
  std::size_t m_done = 0;
  std::exception_ptr m_failure = {}; // a bug of ours
  runtime::TaskGroup m_tasks;
};

} // namespace upskill::evals
