#include "daemon/handlers/evals.h"

#include "daemon/await.h"
#include "daemon/evals/case_writer.h"
#include "daemon/evals/evaluation_id.h"
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/eval_options.h"
#include "daemon/handlers/eval_outputs.h"
#include "daemon/handlers/eval_result.h"
#include "daemon/handlers/eval_session.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/paths.h"
#include "protocol/base/utc.h"
#include "protocol/codec/codec.h"
#include "protocol/methods.h"
#include "protocol/rpc/simdjson_reader.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_benchmark_runs = 3;

// Nothing was measured, and why the first sample was not is the answer. A configuration that was
// misread may be the reason.
Error why_nothing(std::optional<Error> first, const std::vector<std::string>& warnings) {
  Error error = first.value_or(Error{ErrorCode::unsupported, "no answer could be graded"});
  error.message = "nothing was measured: " + error.message;
  for (const std::string& warning : warnings) {
    error.hint += (error.hint.empty() ? "" : "; ") + warning;
  }
  return error;
}

Result<EvalResult> read_kept(std::string_view json) {
  rpc::JsonParser parser;
  Result<EvalResult> result = fail(ErrorCode::internal, "nothing was read");
  TRY(parser.read(json, "the evaluation", [&](JsonReader& reader) {
    result = decode<EvalResult>(reader, "evaluation");
  }));
  if (!result) {
    return fail(ErrorCode::unsupported,
                "another version of upskilld has kept it: " + result.error().message,
                "`upskill eval` makes a new one, from answers that are known");
  }
  return result;
}

class Evaluations {
public:
  Evaluations(SkillLibrary& library, models::Http& http, evals::EvalJournal& journal)
      : m_library(library)
      , m_http(http)
      , m_journal(journal) {}

  Awaitable<EvalResult>
  evaluate(EvalParams params, RequestContext context, std::int64_t default_runs) {
    try {
      AWAIT(Result<EvalResult> result,
            draw_and_tell(std::move(params), std::move(context), default_runs));
      m_http.rest();
      AWAIT_DONE(m_journal.rest());
      co_return result;
    } catch (...) { // cancelled; a frame that is destroyed at the daemon's end does not come here
      m_http.rest();
      throw;
    }
  }

  Awaitable<EvalResult>
  draw_and_tell(EvalParams params, RequestContext context, std::int64_t default_runs) {
    Asker asker{context.principal.empty(), context.caller.cwd};
    CO_TRY(check_params(params, asker));
    AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue,
          m_library.catalogue(context.stopping));
    CO_TRY(catalogue);
    EvalModelOptions options;
    FoundConfig config;
    EvalOutputs outputs;
    auto read = [&]() -> Result<EvalRequest> {
      TRY_ASSIGN(config, find_config(context.caller, places()));
      settle(params, config.config, asker, default_runs);
      TRY_ASSIGN(outputs, open_outputs(params, config, context));
      TRY_ASSIGN(options, read_model_options(params, context, places()));
      return read_request(**catalogue, params, asker);
    };
    AWAIT(Result<EvalRequest> request, runtime::offload(m_library.pool(context), std::move(read)));
    CO_TRY(request);
    params.no_baseline = params.no_baseline || request->is_about_triggers;
    EvalModels models(executor(),
                      m_http,
                      m_journal,
                      m_library.pool(context),
                      std::move(options),
                      request->scripts);
    context.release();
    AWAIT(Result<void> written, write_cases(params, *request, models, outputs));
    CO_TRY(written);
    Workshop workshop{
        executor(), m_library.service().context().pool(), m_library.pool(context), m_sandbox};
    EvalSession session(std::move(workshop), params, *request, models, context);
    CO_TRY(session.check());
    std::int64_t started_ms = m_journal.now_ms();
    AWAIT(Result<void> drawn, session.draw());
    CO_TRY(drawn);
    if (is_nothing_known(session.samples)) {
      co_return fail(why_nothing(session.first_error(), config.config.warnings));
    }
    auto report = [&]() -> Result<EvalResult> {
      TRY_ASSIGN(EvalResult result, result_of(params, *request, session, models.budget()));
      result.id = evals::new_evaluation_id(started_ms);
      result.started_at = rfc3339(started_ms);
      for (EvalModelReport& model : result.models) {
        model.resolved = models.resolved(model.model);
      }
      result.failed = why_failed(params, result);
      result.config = config.source;
      result.warnings.insert(
          result.warnings.end(), config.config.warnings.begin(), config.config.warnings.end());
      return result;
    };
    AWAIT(Result<EvalResult> result, runtime::offload(m_library.pool(context), std::move(report)));
    CO_TRY(result);
    AWAIT_DONE(finish(*request, *result, std::move(outputs), started_ms, context));
    if (!params.verbose) {
      keep_short(*result);
    }
    co_return std::move(*result);
  }

  Awaitable<EvalResult> report(EvalReportParams params, RequestContext context) {
    bool is_person = context.principal.empty();
    if (!params.html.empty() && !is_person) {
      co_return fail(ErrorCode::refused, "params.html: only a person may name this path");
    }
    auto find = [&](store::EvalStore& store) {
      return params.id.empty() ? store.newest_evaluation(params.skill)
                               : store.find_evaluation(params.id);
    };
    AWAIT(Result<std::optional<store::EvaluationRow>> row, m_journal.with(std::move(find)));
    CO_TRY(row);
    if (!*row) {
      co_return fail(ErrorCode::not_found,
                     "there is no such evaluation",
                     "`upskill eval SKILL` makes one; the newest 1,000 are kept");
    }
    auto read = [&]() -> Result<EvalResult> {
      TRY_ASSIGN(EvalResult result, read_kept((*row)->result));
      result.files.clear();
      if (!params.html.empty()) {
        EvalOutputs outputs;
        std::string path = normalized_path(params.html, context.caller.cwd);
        outputs.files.push_back({ReportKind::html, std::move(path)});
        write_outputs(outputs, result, 0);
      }
      return result;
    };
    AWAIT(Result<EvalResult> result, runtime::offload(m_library.pool(context), std::move(read)));
    AWAIT_DONE(m_journal.rest());
    CO_TRY(result);
    if (!params.verbose) {
      keep_short(*result);
    }
    co_return std::move(*result);
  }

private:
  const Places& places() { return m_library.service().context().places; }

  asio::any_io_executor executor() { return m_library.service().context().io.get_executor(); }

  // What the call leaves open, by upskill's order of lookup.
  static void settle(EvalParams& params,
                     const config::Config& config,
                     const Asker& asker,
                     std::int64_t default_runs) {
    auto first = [](const std::string& one, const std::string& other) {
      return one.empty() ? other : one;
    };
    params.runs = params.runs ? params.runs : config.num_runs ? config.num_runs : default_runs;
    params.jobs = params.jobs ? params.jobs : config.max_parallel;
    if (params.student.empty()) {
      params.student.emplace_back(params.triggers ? "agent" : "chat");
    }
    bool asks_models = std::ranges::any_of(params.student, [](const std::string& student) {
      return !student.starts_with("cli."); // which have a model of their own
    });
    if (params.model.empty()) {
      params.model.push_back(asks_models ? first(config.eval_model, config.skill_generation_model)
                                         : std::string());
    }
    params.judge_model = first(params.judge_model, config.judge_model);
    params.test_gen_model = first(params.test_gen_model, config.test_gen_model);
    if (asker.is_person) { // who is there to see what it costs
      params.test_gen_model = first(params.test_gen_model, config.skill_generation_model);
    }
  }

  // Where the skill has no cases and a model is named to write some.
  asio::awaitable<Result<void>> write_cases(const EvalParams& params,
                                            EvalRequest& request,
                                            EvalModels& models,
                                            EvalOutputs& outputs) {
    if (!request.why_no_cases) {
      co_return Result<void>();
    }
    if (params.test_gen_model.empty() || params.triggers) {
      co_return fail(*request.why_no_cases);
    }
    generate::CaseRequest wanted;
    wanted.name = request.skill.name;
    wanted.description = request.skill.description;
    wanted.body = request.skill.body;
    evals::CaseWriter writer(models.model(params.test_gen_model), params.test_gen_model);
    AWAIT(Result<eval::CaseSuite> suite, writer.write(std::move(wanted)));
    if (!suite) {
      Error error = *request.why_no_cases;
      error.message +=
          ", and `" + params.test_gen_model + "` could write none: " + suite.error().message;
      error.hint += "; `--test-gen-model` names another writer";
      co_return fail(std::move(error));
    }
    outputs.cases = generate::write_test_file(*suite);
    request.suite = std::move(*suite);
    request.suite.warnings.push_back("`" + params.test_gen_model
                                     + "` wrote these test cases; keep good ones in the skill");
    co_return Result<void>();
  }

  // Keeps what came of it for eval_report, and writes the files. What cannot be written is a
  // warning: the samples were paid for.
  asio::awaitable<void> finish(EvalRequest& request,
                               EvalResult& result,
                               EvalOutputs outputs,
                               std::int64_t started_ms,
                               RequestContext context) {
    store::EvaluationRow row;
    auto write = [&] {
      request.copies.clear(); // here, where it may take its time
      write_outputs(outputs, result, started_ms);
      row.id = result.id;
      row.skill = result.skill;
      row.skill_hash = result.hash;
      row.started_ms = started_ms;
      row.result = encode(result);
    };
    AWAIT_DONE(runtime::offload(m_library.pool(context), std::move(write)));
    row.finished_ms = m_journal.now_ms();
    auto keep = [&](store::EvalStore& store) -> Result<void> {
      TRY(store.put_evaluation(row));
      TRY(store.purge_evaluations());
      return {};
    };
    AWAIT(Result<void> kept, m_journal.with(std::move(keep)));
    if (!kept) {
      result.warnings.push_back("it is not kept for `upskill report`: " + kept.error().message);
    }
  }

  SkillLibrary& m_library;
  models::Http& m_http;
  evals::EvalJournal& m_journal;
  sandbox::Sandbox m_sandbox;
};

} // namespace

void bind_eval_handlers(Binder& binder,
                        SkillLibrary& library,
                        models::Http& http,
                        evals::EvalJournal& journal) {
  auto evaluations = std::make_shared<Evaluations>(library, http, journal);
  binder.on(k_skill_eval, [evaluations](EvalParams params, RequestContext context) {
    return evaluations->evaluate(std::move(params), std::move(context), 1);
  });
  binder.on(k_benchmark, [evaluations](EvalParams params, RequestContext context) {
    return evaluations->evaluate(std::move(params), std::move(context), k_benchmark_runs);
  });
  binder.on(k_eval_report, [evaluations](EvalReportParams params, RequestContext context) {
    return evaluations->report(std::move(params), std::move(context));
  });
}

} // namespace upskill::daemon
