#pragma once
#include "daemon/handlers/eval_models.h"
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/sandbox.h"
#include "daemon/students/student.h"
#include "protocol/base/result.h"
#include "protocol/types/evals.h"

#include <memory>
#include <string>

namespace upskill::daemon {

// What students work with beside models; outlives them.
struct Workshop {
  asio::any_io_executor executor;
  runtime::Pool& pool;
  runtime::Pool::Share share; // of the caller
  sandbox::Sandbox& sandbox;
};

struct StudentName {
  std::string student; // `chat`, `agent`, `cli.NAME`
  std::string model;
};

// The limits of time and the server are those of `params`; all outlive the student.
// invalid_argument where there is no such student, and what opening one gives.
Result<std::unique_ptr<students::Student>> open_student(const Workshop& workshop,
                                                        const EvalParams& params,
                                                        EvalModels& models,
                                                        const StudentName& name,
                                                        students::SkillSets skills);

} // namespace upskill::daemon
