#include "daemon/handlers/eval_changed.h"

#include "daemon/await.h"
#include "daemon/git/repository.h"
#include "daemon/handlers/changed_plan.h"
#include "daemon/handlers/changed_result.h"
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/eval_options.h"
#include "daemon/handlers/eval_session.h"
#include "daemon/handlers/version_test.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/paths.h"
#include "protocol/methods.h"
#include "skills/regression/spending.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace upskill::daemon {
namespace {

// One call, step by step. Owner: its coroutine. Thread: the daemon's.
class ChangedSkills {
public:
  ChangedSkills(SkillLibrary& library,
                models::Http& http,
                evals::EvalJournal& journal,
                EvalChangedParams params,
                RequestContext context)
      : m_library(library)
      , m_http(http)
      , m_journal(journal)
      , m_asked(std::move(params))
      , m_context(std::move(context))
      , m_asker{true, m_context.caller.cwd} {}

  Awaitable<EvalChangedResult> run() {
    AWAIT(Result<void> done, look());
    CO_TRY(done);
    AWAIT(done, read());
    CO_TRY(done);
    m_context.release();
    AWAIT(done, test());
    CO_TRY(done);
    auto end = [this] {
      for (ChangedSkill& skill : m_plan.skills) {
        m_result.skills.push_back(std::move(skill.told));
      }
      m_plan.skills.clear(); // here, where it may take its time
      m_base.reset();
      m_repository.reset();
      if (!m_asked.dry_run) {
        m_result.failed = why_failed(m_asked, m_result);
        write_files(m_asked, m_asker.cwd, m_result);
      }
    };
    AWAIT_DONE(runtime::offload(pool(), std::move(end)));
    co_return std::move(m_result);
  }

private:
  const EngineContext& engine() { return m_library.service().context(); }

  runtime::Pool::Share pool() { return m_library.pool(m_context); }

  // What the range touches.
  asio::awaitable<Result<void>> look() {
    auto prepare = [this]() -> Result<void> {
      TRY_ASSIGN(m_config, find_config(m_context.caller, engine().places));
      TRY_ASSIGN(m_params, changed_params(m_asked, m_config.config, m_asker));
      TRY(check_files(m_asked, m_asker.cwd));
      TRY_ASSIGN(m_base, sandbox::PrivateFolder::make());
      return {};
    };
    AWAIT(Result<void> prepared, runtime::offload(pool(), std::move(prepare)));
    CO_TRY(prepared);
    AWAIT(Result<git::Repository> opened,
          git::Repository::open(
              normalized_path(m_asked.folder, m_asker.cwd), engine().places.home, pool()));
    CO_TRY(opened);
    m_repository.emplace(std::move(*opened));
    AWAIT(Result<std::string> commit, m_repository->base_of(m_asked.base));
    CO_TRY(commit);
    m_result.base = m_asked.base;
    m_result.commit = *commit;
    m_result.folder = m_repository->folder();
    m_result.dry_run = m_asked.dry_run;
    AWAIT(Result<std::vector<git::FileChange>> changes, m_repository->changes_since(*commit));
    CO_TRY(changes);
    AWAIT(Result<std::vector<git::TreeFile>> files, m_repository->files_of(*commit));
    CO_TRY(files);
    std::vector<git::TreeFile> wanted;
    auto find = [&] {
      auto is_skill = [this](const std::string& folder) {
        const std::string path = join_path(m_result.folder, folder);
        return ::access(join_path(path, "SKILL.md").c_str(), F_OK) == 0
               || ::access(join_path(path, "skill.md").c_str(), F_OK) == 0;
      };
      m_touched = touched_skills(*changes, *files, is_skill);
      keep_asked();
      for (const TouchedSkill& skill : m_touched) {
        if (skill.fate != SkillFate::added && skill.fate != SkillFate::removed) {
          std::ranges::move(files_in(*files, skill.from), std::back_inserter(wanted));
        }
      }
    };
    AWAIT_DONE(runtime::offload(pool(), std::move(find)));
    if (wanted.empty()) {
      co_return Result<void>();
    }
    AWAIT(Result<void> written, m_repository->write(*commit, std::move(wanted), m_base->path()));
    co_return written;
  }

  // A name that is not among them may be another one that was not touched.
  void keep_asked() {
    if (m_asked.skill.empty()) {
      return;
    }
    auto is_called = [this](const TouchedSkill& skill, const std::string& asked) {
      std::string_view name = base_name(skill.folder.empty() ? m_result.folder : skill.folder);
      return asked == name || (!skill.folder.empty() && asked == skill.folder);
    };
    for (const std::string& asked : m_asked.skill) {
      if (std::ranges::none_of(m_touched, [&](const auto& one) { return is_called(one, asked); })) {
        m_result.warnings.push_back("no skill `" + asked + "` was touched");
      }
    }
    std::erase_if(m_touched, [&](const TouchedSkill& skill) {
      return std::ranges::none_of(
          m_asked.skill, [&](const std::string& asked) { return is_called(skill, asked); });
    });
  }

  // Both versions of each skill, and with what models are asked.
  asio::awaitable<Result<void>> read() {
    AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue,
          m_library.catalogue(m_context.stopping));
    CO_TRY(catalogue);
    auto work = [&]() -> Result<void> {
      TRY_ASSIGN(m_plan,
                 plan_changed(**catalogue,
                              m_touched,
                              {m_result.folder, m_base->path()},
                              m_params,
                              m_config.config,
                              m_asker));
      TRY_ASSIGN(m_options, read_model_options(m_params, m_context, engine().places));
      TRY_ASSIGN(m_known, read_model_options(m_params, m_context, engine().places));
      return {};
    };
    AWAIT(Result<void> done, runtime::offload(pool(), std::move(work)));
    CO_TRY(done);
    for (const ChangedSkill& skill : m_plan.skills) {
      m_result.planned += skill.told.planned;
    }
    std::ranges::move(m_plan.warnings, std::back_inserter(m_result.warnings));
    std::ranges::copy(m_config.config.warnings, std::back_inserter(m_result.warnings));
    co_return Result<void>();
  }

  asio::awaitable<Result<void>> test() {
    models::Budget budget(engine().io.get_executor(), m_options.limits);
    bool missing = false;
    m_options.budget = &budget;
    m_known.limits = {}; // they spend nothing, and what they lack is no question
    m_known.missing = &missing;
    std::map<std::string, NamedScript> none;
    const auto& scripts = first_scripts(none);
    EvalModels models(
        engine().io.get_executor(), m_http, m_journal, pool(), std::move(m_options), scripts);
    EvalModels known(
        engine().io.get_executor(), m_http, m_journal, pool(), std::move(m_known), scripts);
    sandbox::Sandbox sandbox;
    Workshop workshop{engine().io.get_executor(), engine().pool(), pool(), sandbox};
    for (const ChangedSkill& skill : m_plan.skills) { // before anybody is asked
      for (const ChangedPart& part : skill.parts) {
        CO_TRY(EvalSession(workshop, part.params, part.request, models, m_context).check());
      }
    }
    if (m_asked.dry_run) {
      co_return Result<void>();
    }
    for (ChangedSkill& skill : m_plan.skills) {
      for (const ChangedPart& part : skill.parts) {
        AWAIT(Result<void> tested, test_part(skill.told, part, workshop, models, known, missing));
        CO_TRY(tested);
      }
      if (!skill.told.subjects.empty()) {
        settle_verdict(skill.told);
      }
    }
    m_result.asked += static_cast<std::int64_t>(budget.totals().calls);
    m_result.cost = budget.totals().cost;
    m_result.tokens = budget.totals().tokens;
    m_result.stopped = budget.stopped();
    add_agents();
    co_return is_anything_known();
  }

  // The same of every part, for all of them have the same models.
  const std::map<std::string, NamedScript>&
  first_scripts(const std::map<std::string, NamedScript>& none) const {
    for (const ChangedSkill& skill : m_plan.skills) {
      for (const ChangedPart& part : skill.parts) {
        return part.request.scripts;
      }
    }
    return none;
  }

  asio::awaitable<Result<void>> test_part(ChangedSkillReport& told,
                                          const ChangedPart& part,
                                          const Workshop& workshop,
                                          EvalModels& models,
                                          EvalModels& known,
                                          bool& missing) {
    regression::TestOptions options;
    CO_TRY_ASSIGN(options.alpha,
                  regression::alpha_of_look(
                      m_plan.thresholds.alpha.value_or(options.alpha), 1, m_plan.subjects));
    options.beta = m_plan.thresholds.beta.value_or(options.beta);
    options.drop = m_plan.thresholds.drop.value_or(options.drop);
    options.runs = static_cast<std::uint32_t>(m_plan.runs);
    for (const std::string& model : part.params.model) {
      for (const std::string& student : part.params.student) {
        const std::string doing =
            "asking " + (model.empty() ? student : model) + " about " + told.skill;
        VersionTest test{workshop, part.params, part.request, models, known, missing};
        test.name = {student, model};
        test.measure = part.measure_of(student);
        test.runs = static_cast<std::uint32_t>(part.params.runs.value_or(1));
        test.options = options;
        test.other = told.fate == SkillFate::added ? "no skill" : "the base";
        test.drawn = [this, &doing](std::size_t drawn) {
          m_context.progress(
              static_cast<double>(m_drawn + drawn), static_cast<double>(m_result.planned), doing);
        };
        AWAIT(Result<WatchedSubject> subject, hold_versions(std::move(test)));
        CO_TRY(subject);
        // As many as it might have taken, so that what is shown never goes back.
        m_drawn += static_cast<std::size_t>(told.planned) / subjects_of(told.path);
        told.subjects.push_back(std::move(*subject));
      }
    }
    co_return Result<void>();
  }

  std::size_t subjects_of(const std::string& path) const {
    std::size_t subjects = 0;
    for (const ChangedSkill& skill : m_plan.skills) {
      for (const ChangedPart& part : skill.parts) {
        subjects +=
            skill.told.path == path ? part.params.model.size() * part.params.student.size() : 0;
      }
    }
    return std::max<std::size_t>(subjects, 1);
  }

  // Coding agents pay for themselves, beside the budget.
  void add_agents() {
    for (const ChangedSkill& skill : m_plan.skills) {
      for (const WatchedSubject& one : skill.told.subjects) {
        if (!one.student.starts_with("cli.")) {
          continue;
        }
        m_result.asked += one.asked;
        m_result.tokens =
            m_result.tokens ? std::optional(*m_result.tokens + one.tokens) : std::nullopt;
        m_result.cost =
            m_result.cost && one.cost ? std::optional(*m_result.cost + *one.cost) : std::nullopt;
      }
    }
  }

  // Where models could not be asked at all, there is no answer.
  Result<void> is_anything_known() const {
    std::string first;
    for (const ChangedSkill& skill : m_plan.skills) {
      for (const WatchedSubject& one : skill.told.subjects) {
        const bool is_known = one.reason != WatchReason::errors || one.samples > 0;
        if (is_known) {
          return {};
        }
        first = first.empty() ? one.why : first;
      }
      if (!skill.told.faults.empty()) {
        return {};
      }
    }
    if (!first.empty()) {
      return fail(ErrorCode::unavailable, "nothing was measured: " + first);
    }
    return {};
  }

  SkillLibrary& m_library;
  models::Http& m_http;
  evals::EvalJournal& m_journal;
  EvalChangedParams m_asked;
  RequestContext m_context;
  Asker m_asker;
  FoundConfig m_config = {};
  EvalParams m_params = {};
  std::optional<sandbox::PrivateFolder> m_base = {};
  std::optional<git::Repository> m_repository = {};
  std::vector<TouchedSkill> m_touched = {};
  ChangedPlan m_plan = {};
  EvalModelOptions m_options = {};
  EvalModelOptions m_known = {}; // of models that only say what they have said before
  EvalChangedResult m_result = {};
  std::size_t m_drawn = 0; // by the subjects that are done, at most
};

Awaitable<EvalChangedResult> eval_changed(SkillLibrary& library,
                                          models::Http& http,
                                          evals::EvalJournal& journal,
                                          EvalChangedParams params,
                                          RequestContext context) {
  try {
    ChangedSkills call(library, http, journal, std::move(params), std::move(context));
    AWAIT(Result<EvalChangedResult> result, call.run());
    http.rest();
    AWAIT_DONE(journal.rest());
    co_return result;
  } catch (...) { // cancelled
    http.rest();
    throw;
  }
}

} // namespace

void bind_changed_handler(Binder& binder,
                          SkillLibrary& library,
                          models::Http& http,
                          evals::EvalJournal& journal) {
  binder.on(k_eval_changed, [&](EvalChangedParams params, RequestContext context) {
    return eval_changed(library, http, journal, std::move(params), std::move(context));
  });
}

} // namespace upskill::daemon
