#pragma once
#include "daemon/evals/evaluation.h"
#include "daemon/evals/judge_gatherer.h"
#include "daemon/evals/workspace_gatherer.h"
#include "daemon/handlers/eval_models.h"
#include "daemon/handlers/eval_request.h"
#include "daemon/handlers/eval_students.h"
#include "daemon/request_context.h"
#include "daemon/runtime/pool.h"
#include "daemon/sandbox/sandbox.h"
#include "skills/eval/report.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace upskill::daemon {

// One of several skills, or some of them together, and what came of it.
struct CombinationSamples {
  std::string model = {};
  std::vector<std::string> skills = {};
  std::vector<EvalSample> samples = {};
};

// The samples of one evaluation: every student with every model, then the combinations of skills.
// Owner: a call. Thread: the daemon's. Lifetime: until its coroutines have returned.
class EvalSession {
public:
  // All outlive it. `params` has its models, students and runs.
  EvalSession(Workshop workshop,
              const EvalParams& params,
              const EvalRequest& request,
              EvalModels& models,
              const RequestContext& context);

  // Before anything is asked. too_large: more than 100,000 samples; invalid_argument: no such
  // student, or nobody to judge; what opening a student or naming a model gives.
  Result<void> check();

  // Cancelled, it ends what is under way first.
  asio::awaitable<Result<void>> draw();

  // Why the first sample that has no outcome has none: of students, of judges, else of checks.
  std::optional<Error> first_error() const;

  // Models in the order they were named, each with every student.
  std::vector<eval::ModelSamples> samples = {};
  std::vector<CombinationSamples> combinations = {}; // none of the skills is the first of a model
  std::vector<std::string> first_errors = {};        // of `samples`, empty where there is none

private:
  std::size_t each() const;
  std::size_t all() const;
  std::vector<std::vector<students::OfferedSkill>> combined_sets() const;
  asio::awaitable<Result<std::vector<EvalSample>>> draw_one(std::string student,
                                                            std::string model,
                                                            students::SkillSets skills,
                                                            bool baseline,
                                                            std::string* first_error);

  Workshop m_workshop;
  const EvalParams& m_params;
  const EvalRequest& m_request;
  EvalModels& m_models;
  const RequestContext& m_context;
  evals::WorkspaceGatherer m_workspaces;
  evals::JudgeGatherer m_judge;
  std::optional<Error> m_first_error = {};
  std::string m_first_ungraded = {};
  std::size_t m_done = 0; // samples of the parts that have ended
};

} // namespace upskill::daemon
