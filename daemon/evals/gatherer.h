#pragma once
#include "daemon/runtime/asio.h"
#include "daemon/students/student.h"
#include "skills/eval/grade.h"

namespace upskill::evals {

// Finds out what checks of a case need to know beside the answer: files of the workspace, how a
// command ends, what a judge says. It fills in Observation::{files, commands, opinions}; what it
// cannot find out it leaves out, or says why (grade.h), and that makes an error of the sample.
// Owner: a call. Thread: that of the evaluation's executor. Lifetime: longer than the evaluation.
class Gatherer {
public:
  virtual ~Gatherer() = default;

  // `work` is complete. Ends when it is cancelled, and leaves nothing running behind.
  virtual asio::awaitable<void>
  gather(const eval::Case& one, const eval::Needs& needs, students::Work& work) = 0;
};

} // namespace upskill::evals
