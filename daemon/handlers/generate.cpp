#include "daemon/handlers/generate.h"

#include "daemon/await.h"
#include "daemon/capture/redaction_file.h"
#include "daemon/handlers/eval_options.h"
#include "daemon/handlers/generate_evidence.h"
#include "daemon/handlers/generate_result.h"
#include "daemon/handlers/generate_run.h"
#include "daemon/handlers/generate_triggers.h"
#include "daemon/handlers/trace_own.h"
#include "daemon/runtime/offload.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace upskill::daemon {
namespace {

EvalParams as_eval(const GenerateParams& params, const std::string& base_url) {
  EvalParams one;
  one.base_url = base_url;
  one.fresh = params.fresh;
  one.jobs = params.jobs;
  one.budget = params.budget;
  one.token_budget = params.token_budget;
  one.time_budget = params.time_budget;
  one.log_runs = params.log_runs;
  one.runs_dir = params.runs_dir;
  one.record = params.record;
  one.replay = params.replay;
  return one;
}

// Where students are asked: teachers that are students of themselves are where they are.
std::string students_url(const GenerateParams& params) {
  bool is_own_student = params.eval_model.size() == 1 && params.eval_model.front() == params.model;
  return params.eval_base_url.empty() && is_own_student ? params.base_url : params.eval_base_url;
}

std::string client_of(const RequestContext& context) {
  return context.principal.empty() ? std::string("a person's client") : context.principal;
}

// A student with tools takes a turn to read the skill and one to answer, at least.
constexpr std::int64_t k_turns = 2;

bool has_tools(const GenerateParams& params) {
  return params.student == "agent" && !params.no_eval;
}

// With every attempt made, and a second look; and in tuning with every description tried.
std::int64_t most_calls(const GenerateParams& params) {
  std::int64_t drafts = params.candidates.value_or(1) + params.attempts.value_or(1) - 1;
  if (params.no_eval) {
    return 1;
  }
  constexpr std::int64_t k_more_cases = 10;
  constexpr std::int64_t k_counterexamples = 5; // between two attempts
  // Of one case, as it is put to all students.
  std::int64_t each = static_cast<std::int64_t>(params.eval_model.size()) * params.runs.value_or(1)
                      * (has_tools(params) ? k_turns : 1);
  std::int64_t cases = params.cases.value_or(0) + k_more_cases;
  std::int64_t calls = drafts + 3 + each * cases * (1 + drafts);
  if (!params.counterexamples.empty()) {
    std::int64_t rounds = params.attempts.value_or(1) - 1;
    // Each is put to students without a draft, with its draft, and with all that follow.
    calls += rounds + each * k_counterexamples * (2 * rounds + rounds * (rounds + 1) / 2);
  }
  if (params.tune_description) {
    const auto tried = static_cast<std::int64_t>(generate::DescriptionOptions().iterations);
    calls += tried + tried * k_trigger_queries * params.runs.value_or(1) * k_turns;
  }
  return calls;
}

// The rules for secrets, and the person's file as it was then: compiling them takes longer than all
// else of a call.
struct KnownRules {
  capture::FileState file = {};
  std::optional<redact::RuleSet> rules = {};
};

Result<KnownRules> rules_of(KnownRules known, const std::string& path) {
  capture::FileState now = capture::state_of(path);
  if (!known.rules || known.file != now) {
    TRY_ASSIGN(known.rules, capture::read_rules(path));
    known.file = now;
  }
  return known;
}

class Generations {
public:
  explicit Generations(GenerateRoom room)
      : m_room(room) {}

  Awaitable<Asked<GenerateResult>> generate(GenerateParams params, RequestContext context) {
    try {
      AWAIT(Result<Asked<GenerateResult>> result, make(std::move(params), std::move(context)));
      m_room.http.rest();
      AWAIT_DONE(m_room.journal.rest());
      co_return result;
    } catch (...) { // cancelled
      m_room.http.rest();
      throw;
    }
  }

private:
  using Answer = Asked<GenerateResult>;

  const EngineContext& engine() { return m_room.library.service().context(); }

  // What it takes is read, and refused, before anything is paid for.
  Awaitable<std::unique_ptr<PreparedGeneration>> prepare(GenerateParams& params,
                                                         const RequestContext& context) {
    Asker asker{context.principal.empty(), context.caller.cwd};
    CO_TRY(check_params(params, asker));
    AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue,
          m_room.library.catalogue(context.stopping));
    CO_TRY(catalogue);
    const Places& places = engine().places;
    KnownRules known = m_rules;
    auto read = [&]() -> Result<std::unique_ptr<PreparedGeneration>> {
      auto prepared = std::make_unique<PreparedGeneration>();
      TRY_ASSIGN(prepared->config, find_config(context.caller, places));
      settle(params, prepared->config.config);
      TRY(check_params(params, asker)); // what the configuration says, too
      TRY_ASSIGN(prepared->outputs, open_outputs(as_eval(params, {}), prepared->config, context));
      TRY_ASSIGN(prepared->teachers,
                 read_model_options(as_eval(params, params.base_url), context, places));
      TRY_ASSIGN(prepared->students,
                 read_model_options(as_eval(params, students_url(params)), context, places));
      TRY_ASSIGN(prepared->request, read_request(**catalogue, params, prepared->config, asker));
      TRY_ASSIGN(known, rules_of(std::move(known), m_room.desk.options().user_rules));
      prepared->rules = known.rules;
      return prepared;
    };
    AWAIT(Result<std::unique_ptr<PreparedGeneration>> prepared,
          runtime::offload(m_room.library.pool(context), std::move(read)));
    CO_TRY(prepared);
    m_rules = std::move(known);
    if (engine().forgets && (*prepared)->request.improved) {
      co_return fail(ErrorCode::refused,
                     "a daemon for this command alone would forget the version that is replaced",
                     "name another folder with `--output`, or set XDG_STATE_HOME");
    }
    co_return prepared;
  }

  Awaitable<Answer> make(GenerateParams params, RequestContext context) {
    bool is_teacher_named = !params.model.empty();
    AWAIT(Result<std::unique_ptr<PreparedGeneration>> ready, prepare(params, context));
    CO_TRY(ready);
    PreparedGeneration& prepared = **ready;
    generation::SamplingDesk sampling(engine().io.get_executor(), context.input_responses);
    if (context.client.sampling) {
      prepared.teachers.sampling = &sampling;
      prepared.teachers.client = client_of(context);
    }
    auto executor = engine().io.get_executor();
    models::Budget budget(executor, prepared.teachers.limits);
    prepared.teachers.budget = &budget;
    prepared.students.budget = &budget;
    EvalModels teachers(executor,
                        m_room.http,
                        m_room.journal,
                        m_room.library.pool(context),
                        std::move(prepared.teachers),
                        prepared.request.scripts);
    EvalModels students(executor,
                        m_room.http,
                        m_room.journal,
                        m_room.library.pool(context),
                        std::move(prepared.students),
                        prepared.request.scripts);
    if (!is_teacher_named && context.client.sampling && teachers.lacks_key(params.model)) {
      CO_TRY(let_caller_teach(params, students));
      CO_TRY(check_params(params, {context.principal.empty(), context.caller.cwd}));
    }
    CO_TRY(check_models(params, teachers, students));
    AWAIT(Result<void> can_work, check_sandbox(params));
    CO_TRY(can_work);
    if (!prepared.request.sessions.empty()) {
      context.progress(0, std::nullopt, "reading sessions");
      const std::vector<std::string>& sessions = prepared.request.sessions;
      const bool is_agent = !context.principal.empty();
      if (is_agent && std::ranges::find(sessions, k_last_session) != sessions.end()) {
        AWAIT(Result<store::SessionRow> own, wait_for_own(m_room.desk, context));
        static_cast<void>(own); // found again below, or not
      }
      auto tokens = static_cast<std::size_t>(params.evidence_tokens);
      auto work = [&](archive::Archive& archive) {
        return gather_evidence(archive, sessions, tokens, context, m_room.desk.now_ms());
      };
      AWAIT(Result<GatheredEvidence> evidence, m_room.desk.with(std::move(work)));
      CO_TRY(evidence);
      prepared.evidence = std::move(*evidence);
    }
    if (params.dry_run) {
      co_return Answer(plan(params, prepared, teachers, students));
    }
    context.release();
    GenerateRun run{
        m_room, m_sandbox, params, context, prepared, teachers, students, budget, sampling};
    AWAIT(Result<Answer> answer, run_generation(std::move(run)));
    co_return answer;
  }

  // Where nobody has a key, the agent that calls may be the teacher: it has a model. Students it
  // cannot be, with a question for each of some hundred samples.
  static Result<void> let_caller_teach(GenerateParams& params, const EvalModels& students) {
    if (params.test_gen_model == params.model) {
      params.test_gen_model = generation::k_sampling;
    }
    params.model = generation::k_sampling;
    for (const std::string& model : params.eval_model) {
      if (!params.no_eval && students.lacks_key(model)) {
        return fail(ErrorCode::permission,
                    "there is no key for the student `" + model + "`",
                    "name one that answers without a key as `eval_model`, such as one of a local "
                    "server");
      }
    }
    return {};
  }

  static Result<void> check_models(const GenerateParams& params,
                                   const EvalModels& teachers,
                                   const EvalModels& students) {
    for (const std::string* model :
         {&params.model, &params.test_gen_model, &params.counterexamples, &params.judge_model}) {
      if (!model->empty()) {
        TRY(teachers.check(*model));
      }
    }
    for (const std::string& model : params.eval_model) {
      if (!params.no_eval) {
        TRY(students.check(model));
      }
    }
    return {};
  }

  // Students with tools work there, and would fail one by one when all else is paid for.
  asio::awaitable<Result<void>> check_sandbox(const GenerateParams& params) {
    if (has_tools(params) || params.tune_description) {
      AWAIT(Result<void> works, m_sandbox.check());
      co_return works;
    }
    co_return Result<void>();
  }

  GenerateResult plan(const GenerateParams& params,
                      PreparedGeneration& prepared,
                      const EvalModels& teachers,
                      const EvalModels& students) {
    GenerateResult result;
    result.outcome = GenerateOutcome::planned;
    result.roles = roles_of(params, teachers, students);
    result.runs = params.no_eval ? 0 : params.runs.value_or(0);
    result.held_out_cases = params.no_eval ? 0 : params.cases.value_or(0) / 2;
    result.train_cases = params.no_eval ? 0 : params.cases.value_or(0) - result.held_out_cases;
    result.asked = most_calls(params);
    result.saved = prepared.request.output;
    tell_prepared(result, prepared);
    if (has_tools(params) || params.tune_description) {
      result.warnings.push_back(
          "each turn of a student with tools is a call, and 2 are counted for "
          "each of its samples");
    }
    return result;
  }

  GenerateRoom m_room;
  sandbox::Sandbox m_sandbox;
  KnownRules m_rules = {};
};

} // namespace

void bind_generate_handlers(Binder& binder, GenerateRoom room) {
  auto generations = std::make_shared<Generations>(room);
  binder.on(k_skill_generate, [generations](GenerateParams params, RequestContext context) {
    return generations->generate(std::move(params), std::move(context));
  });
}

} // namespace upskill::daemon
