#include "daemon/handlers/generate_run.h"

#include "daemon/await.h"
#include "daemon/evals/evaluation_id.h"
#include "daemon/evals/judge_gatherer.h"
#include "daemon/evals/workspace_gatherer.h"
#include "daemon/generation/draft_look.h"
#include "daemon/generation/generation.h"
#include "daemon/handlers/generate_finish.h"
#include "daemon/handlers/generate_result.h"
#include "daemon/handlers/generate_triggers.h"
#include "protocol/base/paths.h"

#include <sys/stat.h>

#include <utility>

namespace upskill::daemon {
namespace {

// Students of their own machine at a time; models behind HTTP find out themselves how many.
constexpr std::int64_t k_in_flight = 100;
constexpr std::int64_t k_at_work = 4;

using Answer = Asked<GenerateResult>;

bool is_there(const std::string& path) {
  struct stat status {};

  return ::lstat(path.c_str(), &status) == 0;
}

generation::GenerationInputs inputs_of(const GenerateParams& params,
                                       const PreparedGeneration& prepared) {
  const GenerateRequest& request = prepared.request;
  generation::GenerationInputs inputs;
  inputs.brief = request.brief;
  inputs.evidence = prepared.evidence.texts;
  inputs.held_out = prepared.evidence.held_out;
  if (request.improved) {
    inputs.current = request.improved->current;
    inputs.old = request.improved->old;
    inputs.own_cases = request.improved->own_cases;
    inputs.loop.baseline = "with the skill as it is";
  }
  generate::LoopOptions& loop = inputs.loop;
  loop.students = params.eval_model;
  loop.candidates = static_cast<std::size_t>(params.candidates.value_or(1));
  loop.attempts = static_cast<std::size_t>(params.attempts.value_or(1));
  loop.runs = static_cast<std::uint32_t>(params.runs.value_or(1));
  loop.cases = static_cast<std::size_t>(params.cases.value_or(0));
  loop.evaluates = !params.no_eval;
  loop.counterexamples = !params.counterexamples.empty();
  loop.seed = static_cast<std::uint64_t>(params.seed);
  return inputs;
}

// Names are taken by skills of the folder they would go to, and by those agents see. A folder that
// was named gives its name.
generation::DraftLookOptions look_options(const PreparedGeneration& prepared) {
  const GenerateRequest& request = prepared.request;
  generation::DraftLookOptions options{*prepared.rules};
  if (request.improved) {
    options.files = request.improved->current.files;
  }
  if (request.improved && request.output == request.improved->folder) {
    options.name = request.improved->current.name;
  } else if (!request.output.empty()) {
    options.name = base_name(request.output);
  } else {
    options.is_taken = [&request](const std::string& name) {
      return request.names.contains(name) || is_there(join_path(request.folder, name));
    };
  }
  return options;
}

generation::StudentRoomOptions room_options(const GenerateParams& params, EvalModels& students) {
  generation::StudentRoomOptions options;
  for (const std::string& model : params.eval_model) {
    options.students.push_back({&students.model(model), model});
  }
  bool is_agent = params.student == "agent";
  options.kind = is_agent ? generation::StudentKind::agent : generation::StudentKind::chat;
  options.runs = static_cast<std::uint32_t>(params.runs.value_or(1));
  options.seed = static_cast<std::uint64_t>(params.seed);
  options.in_flight =
      static_cast<std::size_t>(params.jobs.value_or(is_agent ? k_at_work : k_in_flight));
  return options;
}

// What came of the loop and of the questions; what is saved is told later.
Result<GenerateResult>
tell_end(const GenerateRun& run, const generate::Loop& loop, std::int64_t started_ms) {
  TRY_ASSIGN(GenerateResult result, result_of(run.params, loop));
  result.id = evals::new_evaluation_id(started_ms);
  result.roles = roles_of(run.params, run.teachers, run.students);
  for (EvalModelReport& model : result.models) {
    model.student = run.params.student;
    model.resolved = run.students.resolved(model.model);
  }
  tell_prepared(result, run.prepared);
  result.scripted = !run.prepared.request.scripts.empty();
  return result;
}

void tell_spent(const GenerateRun& run, GenerateResult& result) {
  result.cost = run.budget.totals().cost;
  result.asked = run.budget.totals().calls;
  if (result.stopped.empty() && !run.budget.stopped().empty()) {
    result.warnings.push_back("it ended early: " + run.budget.stopped());
  }
}

} // namespace

void tell_prepared(GenerateResult& result, PreparedGeneration& prepared) {
  result.evidence = std::move(prepared.evidence.told);
  result.improves = prepared.request.improved ? prepared.request.improved->folder : std::string();
  result.config = prepared.config.source;
  for (std::vector<std::string>* warnings : {&prepared.request.warnings,
                                             &prepared.evidence.warnings,
                                             &prepared.config.config.warnings}) {
    result.warnings.insert(result.warnings.end(), warnings->begin(), warnings->end());
  }
}

Awaitable<Answer> run_generation(GenerateRun run) {
  const GenerateParams& params = run.params;
  const EngineContext& engine = run.room.library.service().context();
  auto executor = engine.io.get_executor();
  runtime::Pool& pool = engine.pool();
  runtime::Pool::Share share = run.room.library.pool(run.context);
  generation::DraftLook look(pool, share, run.sandbox, look_options(run.prepared));
  evals::WorkspaceGatherer workspaces(pool, run.sandbox);
  evals::JudgeGatherer judge(params.judge_model.empty() ? nullptr
                                                        : &run.teachers.model(params.judge_model),
                             params.judge_model);
  generation::StudentRoomOptions options = room_options(params, run.students);
  options.gatherers = {&workspaces, &judge};
  generation::StudentRoom room(executor, pool, share, run.sandbox, options);

  generation::Writer teacher(run.teachers.model(params.model), params.model);
  generation::Writer cases(run.teachers.model(params.test_gen_model), params.test_gen_model);
  std::optional<generation::Writer> counterexamples;
  if (!params.counterexamples.empty()) {
    counterexamples.emplace(run.teachers.model(params.counterexamples), params.counterexamples);
  }
  generation::LookAtDraft look_at = [&look](generate::Draft draft, bool is_last) {
    return look.look(std::move(draft), is_last);
  };
  generation::GenerationHooks hooks;
  hooks.look = look_at;
  hooks.stopped = [&run] { return run.budget.stopped(); };
  hooks.progress = [&run](std::size_t done, std::size_t of, std::string_view doing) {
    run.context.progress(static_cast<double>(done), static_cast<double>(of), doing);
  };
  hooks.sampling = &run.sampling;
  std::int64_t started_ms = run.room.journal.now_ms();
  generation::Generation generation(executor,
                                    inputs_of(params, run.prepared),
                                    {teacher, cases, counterexamples ? &*counterexamples : nullptr},
                                    room,
                                    std::move(hooks));
  AWAIT_DONE(generation.run());
  if (generation.needs_client()) {
    mcp::InputRequired required;
    required.requests = run.sampling.questions();
    co_return Answer(std::move(required));
  }
  const generate::Loop& loop = generation.loop();
  const generate::Ending& ending = *loop.ending();
  if (ending.kind == generate::Ending::Kind::failed) {
    co_return fail(*ending.error);
  }
  CO_TRY_ASSIGN(GenerateResult result, tell_end(run, loop, started_ms));
  std::optional<generate::Draft> draft;
  if (ending.draft) {
    draft = loop.attempts()[*ending.draft].draft;
  }
  if (params.tune_description && draft && is_to_be_saved(params, ending)) {
    options.kind = generation::StudentKind::agent; // one that picks its skills
    options.in_flight = static_cast<std::size_t>(params.jobs.value_or(k_at_work));
    options.students.resize(1);
    generation::StudentRoom pickers(executor, pool, share, run.sandbox, std::move(options));
    TriggerTuning tuning{executor,
                         teacher,
                         cases,
                         pickers,
                         {},
                         params.task,
                         static_cast<std::uint64_t>(params.seed)};
    tuning.hooks.look = look_at;
    tuning.hooks.stopped = [&run] { return run.budget.stopped(); };
    tuning.hooks.progress = [&run](std::size_t done, std::size_t of) {
      run.context.progress(
          static_cast<double>(done), static_cast<double>(of), "tuning the description");
    };
    AWAIT(Result<GenerateTriggers> triggers, tune_description(std::move(tuning), *draft));
    if (triggers) {
      result.triggers = std::move(*triggers);
      tell_files(result, *draft);
    } else {
      result.warnings.push_back("the description is as it was drafted: "
                                + triggers.error().message);
    }
  }
  tell_spent(run, result);
  result.cached = static_cast<std::int64_t>(
      teacher.spent().cached() + cases.spent().cached() + generation.cached()
      + (counterexamples ? counterexamples->spent().cached() : 0));
  GenerateFinish finish{run.room,
                        share,
                        params,
                        run.prepared.request,
                        run.prepared.outputs,
                        loop,
                        std::move(draft),
                        started_ms,
                        run.context.principal.empty()};
  AWAIT(Result<void> finished, finish_generation(std::move(finish), result));
  CO_TRY(finished);
  co_return Answer(std::move(result));
}

} // namespace upskill::daemon
