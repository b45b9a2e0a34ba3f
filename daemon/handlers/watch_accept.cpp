#include "daemon/handlers/watch_accept.h"

#include "daemon/await.h"
#include "daemon/handlers/configuration.h"
#include "daemon/handlers/eval_models.h"
#include "daemon/handlers/eval_options.h"
#include "daemon/handlers/eval_session.h"
#include "daemon/handlers/watch_history.h"
#include "daemon/handlers/watch_record.h"
#include "daemon/handlers/watch_tier_zero.h"
#include "daemon/handlers/watch_version.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/paths.h"
#include "protocol/base/utc.h"
#include "skills/config/watch.h"
#include "skills/store/regression_store.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_runs = 3;

// What is asked of the models, in one call of each measure.
struct Part {
  EvalParams params = {};
  EvalRequest request = {};
};

// Everything that was read before anybody is asked.
struct Plan {
  SkillKey skill = {};
  std::string name = {};
  std::string folder = {}; // of the copy that is read
  WatchedVersion version = {};
  AcceptedRecord record = {}; // without samples
  regression::WatchSettings settings = {};
  std::vector<Part> parts = {};
  std::vector<std::string> warnings = {};
};

bool picks_skills(const std::string& student) {
  return student != "chat";
}

WatchMeasure measure_of(const Part& part, std::string_view student) {
  if (part.params.triggers) {
    return WatchMeasure::trigger;
  }
  return student == "chat" ? WatchMeasure::forced : WatchMeasure::end_to_end;
}

// A script by its whole path: later versions are tested by it, from no folder.
std::string lasting(const std::string& model, const std::string& cwd) {
  if (!is_scripted(model)) {
    return model;
  }
  return std::string(k_scripted) + normalized_path(model.substr(k_scripted.size()), cwd);
}

std::vector<std::string> chosen(const std::vector<std::string>& asked,
                                const std::vector<std::string>& settings,
                                const std::string& otherwise) {
  if (!asked.empty() || !settings.empty()) {
    return asked.empty() ? settings : asked;
  }
  return {otherwise};
}

EvalParams params_of(const EvalAcceptParams& asked,
                     const regression::WatchSettings& settings,
                     const config::Config& config,
                     const std::string& cwd) {
  EvalParams params;
  params.skill = asked.skill;
  params.no_baseline = true;
  std::string model = config.eval_model.empty() ? config.skill_generation_model : config.eval_model;
  for (const std::string& one : chosen(asked.model, settings.models, model)) {
    params.model.push_back(lasting(one, cwd));
  }
  params.student = chosen(asked.student, settings.students, "chat");
  params.runs = asked.runs.value_or(k_runs);
  params.jobs = asked.jobs ? asked.jobs : config.max_parallel;
  params.budget = asked.budget;
  params.base_url = asked.base_url;
  params.no_sandbox = asked.no_sandbox;
  params.judge_model = asked.judge_model.empty() ? config.judge_model : asked.judge_model;
  return params;
}

// Its cases, and its trigger queries for students who pick skills.
Result<std::vector<Part>>
read_parts(const Catalogue& catalogue, const EvalParams& all, const Asker& asker) {
  std::vector<Part> parts;
  std::optional<Error> why_none;
  for (bool triggers : {false, true}) {
    Part part{all};
    part.params.triggers = triggers;
    if (triggers) {
      std::erase_if(part.params.student, [](const auto& one) { return !picks_skills(one); });
    }
    if (part.params.student.empty()) {
      continue;
    }
    TRY(check_params(part.params, asker));
    TRY_ASSIGN(part.request, read_request(catalogue, part.params, asker));
    if (part.request.why_no_cases) {
      why_none = why_none ? why_none : part.request.why_no_cases;
      continue;
    }
    parts.push_back(std::move(part));
  }
  if (parts.empty()) {
    return fail(std::move(*why_none));
  }
  return parts;
}

Result<Plan> read_plan(const Catalogue& catalogue,
                       const EvalAcceptParams& params,
                       const FoundConfig& config,
                       const CallContext& caller) {
  TRY_ASSIGN(SkillPlace place, find_skill(catalogue, params.skill, caller.cwd));
  Plan plan;
  const Catalogue::Row& row = catalogue.row(*place.row);
  plan.skill = {catalogue.project(row), std::string(catalogue.name(row))};
  plan.name = plan.skill.second;
  plan.folder = place.folder;
  TRY_ASSIGN(plan.version, read_version(place));
  put_version(plan.record, plan.version);
  put_capabilities(plan.record, place, plan.version);
  plan.settings = config::settings_of(plan.name,
                                      config.config.watch,
                                      config.config.project_watch,
                                      plan.version.watch_file.settings,
                                      regression::FileTrust::trusted,
                                      plan.warnings);
  std::ranges::move(plan.version.watch_file.warnings, std::back_inserter(plan.warnings));
  EvalParams all = params_of(params, plan.settings, config.config, caller.cwd);
  TRY_ASSIGN(plan.parts, read_parts(catalogue, all, {true, caller.cwd}));
  return plan;
}

std::int64_t samples_of(const Plan& plan) {
  std::int64_t samples = 0;
  for (const Part& part : plan.parts) {
    samples += static_cast<std::int64_t>(part.request.suite.cases.size() * part.params.model.size()
                                         * part.params.student.size())
               * part.params.runs.value_or(1);
  }
  return samples;
}

} // namespace

std::string watch_key(const SkillKey& skill) {
  return skill.first.empty() ? skill.second : skill.first + "\n" + skill.second;
}

SkillKey skill_of(std::string_view key) {
  std::size_t end = key.find('\n');
  return end == std::string_view::npos
             ? SkillKey{"", std::string(key)}
             : SkillKey{std::string(key.substr(0, end)), std::string(key.substr(end + 1))};
}

Awaitable<EvalAcceptResult>
accept_skill(WatchRoom room, EvalAcceptParams params, RequestContext context, SkillKey& skill) {
  const EngineContext& engine = room.library.service().context();
  AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue,
        room.library.catalogue(context.stopping));
  CO_TRY(catalogue);
  EvalModelOptions options;
  EvalModelOptions more;
  auto read = [&]() -> Result<Plan> {
    TRY_ASSIGN(FoundConfig config, find_config(context.caller, engine.places));
    TRY_ASSIGN(Plan plan, read_plan(**catalogue, params, config, context.caller));
    TRY_ASSIGN(options, read_model_options(plan.parts.front().params, context, engine.places));
    TRY_ASSIGN(more, read_model_options(plan.parts.front().params, context, engine.places));
    return plan;
  };
  AWAIT(Result<Plan> plan, runtime::offload(room.library.pool(context), std::move(read)));
  CO_TRY(plan);
  skill = plan->skill;
  EvalAcceptResult result{plan->name, plan->version.hash.hex()};
  result.mode = regression::mode_word(plan->settings.mode.value_or(regression::WatchMode::ask));
  result.trusts_file = plan->version.watch_hash.has_value();
  result.planned = samples_of(*plan);
  result.dry_run = params.dry_run;
  result.warnings = std::move(plan->warnings);

  AcceptedRecord& record = plan->record;
  record.judge_model = plan->parts.front().params.judge_model;
  record.base_url = plan->parts.front().params.base_url;
  record.no_sandbox = plan->parts.front().params.no_sandbox;
  context.release();
  models::Budget budget(engine.io.get_executor(), options.limits);
  options.budget = &budget;
  more.budget = &budget;
  sandbox::Sandbox sandbox;
  for (Part& part : plan->parts) {
    EvalModels models(engine.io.get_executor(),
                      room.http,
                      room.journal,
                      room.library.pool(context),
                      part.params.triggers ? std::move(more) : std::move(options),
                      part.request.scripts);
    Workshop workshop{engine.io.get_executor(), engine.pool(), room.library.pool(context), sandbox};
    EvalSession session(std::move(workshop), part.params, part.request, models, context);
    CO_TRY(session.check());
    if (params.dry_run) {
      continue;
    }
    AWAIT(Result<void> drawn, session.draw());
    CO_TRY(drawn);
    for (const eval::ModelSamples& of : session.samples) {
      std::int64_t errors =
          std::ranges::count(of.samples, SampleOutcome::error, &EvalSample::outcome);
      if (errors == static_cast<std::int64_t>(of.samples.size())) {
        co_return fail(session.first_error().value_or(
            Error{ErrorCode::unsupported, "no answer could be graded"}));
      }
      RecordedSubject& subject = record.subjects.emplace_back();
      subject.model = of.model;
      subject.student = of.student;
      subject.measure = measure_of(part, of.student);
      subject.cases = recorded_cases(part.request.suite, of.samples);
      put_means(subject, of.samples);
      result.subjects.push_back(report_of(subject, errors));
    }
  }
  result.asked = static_cast<std::int64_t>(budget.totals().calls);
  result.cost = budget.totals().cost;
  room.http.rest();
  if (params.dry_run) {
    co_return result;
  }
  std::int64_t now_ms = room.journal.now_ms();
  result.accepted_at = rfc3339(now_ms);
  store::AcceptedRow row{
      watch_key(plan->skill), plan->version.hash, plan->version.watch_hash, now_ms};
  row.record = write_record(record);
  auto keep = [&](store::EvalStore& store) -> Result<void> {
    store::RegressionStore watched(store);
    TRY(watched.accept(row));
    TRY(watched.purge(now_ms));
    return {};
  };
  AWAIT(Result<void> kept, room.journal.with(std::move(keep)));
  AWAIT(bool is_new, note_version(room, plan->skill, plan->folder, plan->version.hash));
  static_cast<void>(is_new);
  AWAIT_DONE(room.journal.rest());
  CO_TRY(kept);
  co_return result;
}

} // namespace upskill::daemon
