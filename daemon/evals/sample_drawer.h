#pragma once
#include "daemon/evals/gatherer.h"
#include "daemon/runtime/asio.h"
#include "daemon/runtime/pool.h"
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"
#include "skills/eval/case.h"
#include "skills/eval/plan.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upskill::evals {

struct DrawOptions {
  std::string skill = {}; // whose cases these are: what `skill_used` is about
  std::vector<Gatherer*> gatherers = {};
  // Where answers are graded that take long; none: on the spot.
  std::optional<runtime::Pool::Share> pool = {};
  std::size_t samples = 1; // that are kept together: the more, the less of each answer
};

// Has a student answer cases, and grades what it made of them. What cannot be had is an error of
// that sample. Which samples are drawn, and when, is somebody else's.
// Owner: an evaluation, or a test of a watched skill. Thread: that of the student only. Lifetime:
// longer than every draw().
class SampleDrawer {
public:
  // `suite` and `student` outlive it.
  SampleDrawer(const eval::CaseSuite& suite, students::Student& student, DrawOptions options);

  // Of a case of the suite. As many at a time as the caller likes.
  asio::awaitable<EvalSample> draw(eval::PlannedSample planned);

  // Why the first sample that could not be had could not.
  const std::optional<Error>& first_error() const { return m_first_error; }

  // Why the first answer that could not be graded could not; empty: all could.
  const std::string& first_ungraded() const { return m_first_ungraded; }

private:
  const eval::CaseSuite& m_suite;
  students::Student& m_student;
  DrawOptions m_options;
  std::optional<Error> m_first_error = {};
  std::string m_first_ungraded = {};
};

} // namespace upskill::evals
