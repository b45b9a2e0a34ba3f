#include "daemon/handlers/evals.h"

#include "daemon/await.h"
#include "daemon/evals/evaluation.h"
#include "daemon/handlers/skill_files.h"
#include "daemon/handlers/skill_lookup.h"
#include "daemon/models/http_model.h"
#include "daemon/models/scripted.h"
#include "daemon/runtime/offload.h"
#include "daemon/students/chat.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "protocol/methods.h"
#include "skills/document/document.h"
#include "skills/eval/cases.h"
#include "skills/eval/report.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::string_view k_scripted = "scripted:";
constexpr std::int64_t k_max_runs = 1000;
constexpr std::int64_t k_max_in_flight = 1000;
constexpr std::size_t k_max_models = 20;
constexpr std::size_t k_max_samples = 100'000; // of one call
constexpr std::size_t k_max_script = 8u << 20; // bytes

// What is asked, read from the disk.
struct Examination {
  std::string skill = {};
  std::string body = {};
  eval::CaseSuite suite = {};
  std::vector<models::Script> scripts = {}; // of the scripted models, in their order
};

Result<std::optional<std::string>> read_of_skill(int skill, std::string_view path) {
  Result<FilePart> part = read_part(skill, std::string(path), 0, eval::k_max_test_file + 1);
  if (part) {
    return std::move(part->bytes);
  }
  if (part.error().code == ErrorCode::not_found) {
    return std::nullopt;
  }
  return fail(std::move(part).error());
}

// Whose words the paths and addresses of a call are. An agent's may be those of whoever wrote what
// it has just read: they stay inside the skill and on this machine.
struct Asker {
  bool is_person = false;
  std::string cwd = {};
};

Result<std::string>
read_named(int skill, const std::string& path, const Asker& asker, std::size_t limit) {
  if (asker.is_person) {
    return read_file(normalized_path(path, asker.cwd), limit);
  }
  TRY_ASSIGN(std::optional<std::string> text, read_of_skill(skill, path));
  if (!text) {
    return fail(ErrorCode::not_found,
                "the skill has no file `" + to_valid_utf8(utf8_prefix(path, 256)) + "`",
                "an agent names files of the skill, relative to it; a person may name any");
  }
  return std::move(*text);
}

Result<eval::CaseSuite> read_suite(int skill, const EvalParams& params, const Asker& asker) {
  if (params.tests.empty()) {
    auto read = [skill](std::string_view path) { return read_of_skill(skill, path); };
    TRY_ASSIGN(eval::FoundCases found, eval::find_cases(eval::CaseUse::answers, read));
    return std::move(found.suite);
  }
  TRY_ASSIGN(std::string text, read_named(skill, params.tests, asker, eval::k_max_test_file));
  Result<eval::CaseSuite> suite = eval::read_cases(text);
  if (!suite) {
    Error error = std::move(suite).error();
    error.message = "`" + params.tests + "`: " + error.message;
    return fail(std::move(error));
  }
  return suite;
}

bool is_scripted(std::string_view model) {
  return model.starts_with(k_scripted);
}

Result<Examination>
examine(const Catalogue& catalogue, const EvalParams& params, const Asker& asker) {
  TRY_ASSIGN(SkillPlace place,
             asker.is_person ? find_skill_anywhere(catalogue, params.skill, asker.cwd)
                             : find_skill(catalogue, params.skill, asker.cwd));
  TRY_ASSIGN(UniqueFd skill, open_skill(place));
  std::string name = document_name(skill.get());
  if (name.empty()) {
    return fail(ErrorCode::not_found, "`" + place.folder + "` has no `SKILL.md`");
  }
  TRY_ASSIGN(FilePart document, read_part(skill.get(), name, 0, k_max_skill_file));
  Examination examination;
  examination.skill = place.name;
  examination.body = document::read_document(document.bytes).parts.body;
  TRY_ASSIGN(examination.suite, read_suite(skill.get(), params, asker));
  for (const std::string& model : params.model) {
    if (is_scripted(model)) {
      std::string path = model.substr(k_scripted.size());
      TRY_ASSIGN(std::string text, read_named(skill.get(), path, asker, k_max_script));
      TRY_ASSIGN(models::Script script, models::read_script(text, "`" + path + "`"));
      examination.scripts.push_back(std::move(script));
    }
  }
  return examination;
}

Result<void> check(const EvalParams& params, bool is_person) {
  if (params.model.empty()) {
    return fail(ErrorCode::invalid_argument,
                "params.model: no model is named",
                "`--model sonnet`, or any other that answers");
  }
  if (params.model.size() > k_max_models) {
    return fail(ErrorCode::invalid_argument, "params.model: more than 20 models");
  }
  if (params.runs < 1 || params.runs > k_max_runs) {
    return fail(ErrorCode::invalid_argument, "params.runs: must be from 1 to 1000");
  }
  if (params.jobs < 1 || params.jobs > k_max_in_flight) {
    return fail(ErrorCode::invalid_argument, "params.jobs: must be from 1 to 1000");
  }
  if (!is_person && !params.base_url.empty() && !models::is_loopback(params.base_url)) {
    return fail(ErrorCode::refused,
                "params.base_url: only a person may name a server of another machine",
                "`upskill eval` on the command line");
  }
  if (params.seed < 0) {
    return fail(ErrorCode::invalid_argument, "params.seed: is negative");
  }
  return {};
}

bool is_all_errors(const std::vector<eval::ModelSamples>& models) {
  return std::ranges::all_of(models, [](const eval::ModelSamples& of) {
    return std::ranges::all_of(of.samples, [](const EvalSample& sample) {
      return sample.outcome == SampleOutcome::error;
    });
  });
}

// Nothing was measured, and why the first sample was not is the answer.
Error why_nothing(std::optional<Error> first) {
  if (!first) {
    return {ErrorCode::unsupported,
            "no answer could be graded",
            "`--samples` with a case that can be shows why"};
  }
  first->message = "nothing was measured: " + first->message;
  return std::move(*first);
}

class Evaluations {
public:
  Evaluations(SkillLibrary& library, models::Http& http)
      : m_library(library)
      , m_http(http) {}

  Awaitable<EvalResult> evaluate(EvalParams params, RequestContext context) {
    Asker asker{context.principal.empty(), context.caller.cwd};
    CO_TRY(check(params, asker.is_person));
    AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue,
          m_library.catalogue(context.stopping));
    CO_TRY(catalogue);
    auto job = [&] { return examine(**catalogue, params, asker); };
    AWAIT(Result<Examination> read, runtime::offload(m_library.pool(context), std::move(job)));
    CO_TRY(read);
    Examination examination = std::move(*read);
    std::size_t each = examination.suite.cases.size() * static_cast<std::size_t>(params.runs)
                       * (params.no_baseline ? 1 : 2);
    std::size_t all = each * params.model.size();
    if (all > k_max_samples) {
      co_return fail(ErrorCode::too_large,
                     "these are " + std::to_string(all) + " samples, more than 100,000",
                     "fewer models, runs or cases");
    }
    context.release();
    std::vector<eval::ModelSamples> drawn;
    std::optional<Error> first_error;
    std::size_t scripts = 0;
    for (const std::string& model : params.model) {
      models::Script* script = is_scripted(model) ? &examination.scripts[scripts++] : nullptr;
      std::unique_ptr<models::Model> asked = open_model(params, context, script);
      students::Chat student(*asked, model, examination.skill, examination.body);
      evals::EvaluationOptions options;
      options.runs = static_cast<std::uint32_t>(params.runs);
      options.baseline = !params.no_baseline;
      options.seed = static_cast<std::uint64_t>(params.seed);
      options.in_flight = static_cast<std::size_t>(params.jobs);
      std::size_t before = drawn.size() * each;
      options.progress = [&context, &model, before, all](std::size_t done, std::size_t) {
        context.progress(
            static_cast<double>(before + done), static_cast<double>(all), "asking " + model);
      };
      evals::Evaluation evaluation(m_library.service().context().io.get_executor(),
                                   examination.suite,
                                   student,
                                   std::move(options));
      AWAIT(std::vector<EvalSample> samples, evaluation.run());
      first_error = first_error ? first_error : evaluation.first_error();
      drawn.push_back({model, std::string(student.name()), std::move(samples)});
    }
    m_http.rest();
    if (is_all_errors(drawn)) {
      co_return fail(why_nothing(std::move(first_error)));
    }
    auto report = [&] {
      return eval::report_models(examination.suite,
                                 std::move(drawn),
                                 !params.no_baseline,
                                 static_cast<std::uint64_t>(params.seed));
    };
    AWAIT(Result<std::vector<EvalModelReport>> reports,
          runtime::offload(m_library.pool(context), std::move(report)));
    CO_TRY(reports);
    co_return result_of(params, std::move(examination), std::move(*reports));
  }

private:
  std::unique_ptr<models::Model>
  open_model(const EvalParams& params, const RequestContext& context, models::Script* script) {
    if (script != nullptr) {
      return std::make_unique<models::ScriptedModel>(std::move(*script));
    }
    models::HttpModelOptions options;
    options.environment = [environment = context.caller.environment](const std::string& name) {
      auto found = environment.find(name);
      return found == environment.end() ? std::nullopt : std::optional(found->second);
    };
    options.base_url = params.base_url;
    return std::make_unique<models::HttpModel>(
        m_library.service().context().io.get_executor(), m_http, std::move(options));
  }

  static EvalResult result_of(const EvalParams& params,
                              Examination examination,
                              std::vector<EvalModelReport> reports) {
    EvalResult result;
    result.skill = std::move(examination.skill);
    result.cases = static_cast<std::int64_t>(examination.suite.cases.size());
    result.runs = params.runs;
    result.seed = params.seed;
    result.models = std::move(reports);
    result.warnings = std::move(examination.suite.warnings);
    for (EvalModelReport& report : result.models) {
      if (!params.samples) {
        report.samples.clear();
      }
    }
    return result;
  }

  SkillLibrary& m_library;
  models::Http& m_http;
};

} // namespace

void bind_eval_handlers(Binder& binder, SkillLibrary& library, models::Http& http) {
  auto evaluations = std::make_shared<Evaluations>(library, http);
  binder.on(k_skill_eval, [evaluations](EvalParams params, RequestContext context) {
    return evaluations->evaluate(std::move(params), std::move(context));
  });
}

} // namespace upskill::daemon
