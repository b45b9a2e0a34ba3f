#include "daemon/handlers/eval_students.h"

#include "daemon/students/agent.h"
#include "daemon/students/chat.h"
#include "daemon/students/cli_agent.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace upskill::daemon {

Result<std::unique_ptr<students::Student>> open_student(const Workshop& workshop,
                                                        const EvalParams& params,
                                                        EvalModels& models,
                                                        const StudentName& name,
                                                        students::SkillSets skills) {
  if (name.student == "chat") {
    return std::make_unique<students::Chat>(models.model(name.model), name.model, skills);
  }
  // Nobody works longer at one case than all may take; a check that began has a limit of its own.
  runtime::Clock::duration all = params.time_budget ? std::chrono::seconds(*params.time_budget)
                                                    : runtime::Clock::duration::max();
  if (name.student == "agent") {
    students::AgentOptions options;
    options.limit = std::min(options.limit, all);
    options.run_limit = std::min(options.run_limit, all);
    return std::make_unique<students::Agent>(workshop.pool,
                                             workshop.sandbox,
                                             models.model(name.model),
                                             name.model,
                                             std::move(skills),
                                             options);
  }
  if (students::find_cli_agent(name.student) != nullptr) {
    students::CliAgentOptions options;
    options.model = name.model;
    options.base_url = params.base_url;
    options.sandbox = params.no_sandbox ? nullptr : &workshop.sandbox;
    if (models.options().record) {
      options.record = models.options().record->folder();
    }
    if (models.options().replay) {
      options.replay = models.options().replay->folder();
    }
    options.limit = std::min(options.limit, all);
    options.environment = [sent = models.environment()](std::string_view variable) {
      return sent(std::string(variable));
    };
    return students::CliAgent::open(
        name.student, workshop.share, std::move(skills), std::move(options));
  }
  return fail(ErrorCode::invalid_argument,
              "params.student: there is no student `" + name.student + "`",
              "`chat` is asked once, `agent` has tools and a workspace");
}

} // namespace upskill::daemon
