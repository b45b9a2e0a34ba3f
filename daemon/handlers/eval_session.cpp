#include "daemon/handlers/eval_session.h"

#include "daemon/await.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_max_samples = 100'000; // of one call
// Unless told. Models behind HTTP find out themselves how many of them a server takes; a student
// with a workspace is a program on this machine.
constexpr std::int64_t k_in_flight = 100;
constexpr std::int64_t k_at_work = 4;

bool has_workspace(std::string_view student) {
  return student != "chat";
}

} // namespace

EvalSession::EvalSession(Workshop workshop,
                         const EvalParams& params,
                         const EvalRequest& request,
                         EvalModels& models,
                         const RequestContext& context)
    : m_workshop(std::move(workshop))
    , m_params(params)
    , m_request(request)
    , m_models(models)
    , m_context(context)
    , m_workspaces(m_workshop.pool, m_workshop.sandbox)
    , m_judge(params.judge_model.empty() ? nullptr : &models.model(params.judge_model),
              params.judge_model) {}

std::optional<Error> EvalSession::first_error() const {
  if (m_first_error || m_judge.first_error() || m_first_ungraded.empty()) {
    return m_first_error ? m_first_error : m_judge.first_error();
  }
  return Error{ErrorCode::unsupported, m_first_ungraded};
}

// Samples of one arm of one student with one model.
std::size_t EvalSession::each() const {
  return m_request.suite.cases.size() * static_cast<std::size_t>(m_params.runs.value_or(1));
}

std::size_t EvalSession::all() const {
  std::size_t pairs = m_params.model.size() * m_params.student.size();
  std::size_t sets = combined_sets().size() * m_params.model.size();
  return each() * (pairs * (m_params.no_baseline ? 1 : 2) + sets);
}

// None, all, each left out, each pair: so that one sees what a skill adds to the others, and which
// two get in each other's way. Each set once.
std::vector<std::vector<students::OfferedSkill>> EvalSession::combined_sets() const {
  std::vector<students::OfferedSkill> skills{m_request.skill};
  skills.insert(skills.end(), m_request.others.begin(), m_request.others.end());
  std::vector<std::vector<students::OfferedSkill>> sets;
  if (skills.size() < 2) {
    return sets;
  }
  sets.emplace_back();
  sets.push_back(skills);
  for (std::size_t i = 0; i < skills.size(); ++i) {
    std::vector<students::OfferedSkill> others = skills;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    sets.push_back(std::move(others));
  }
  for (std::size_t i = 0; i < skills.size() && skills.size() > 3; ++i) {
    for (std::size_t j = i + 1; j < skills.size(); ++j) {
      sets.push_back({skills[i], skills[j]});
    }
  }
  for (std::size_t i = 0; i < skills.size() && skills.size() > 2; ++i) {
    sets.push_back({skills[i]});
  }
  return sets;
}

Result<void> EvalSession::check() {
  if (all() > k_max_samples) {
    return fail(ErrorCode::too_large,
                "these are " + std::to_string(all()) + " samples, more than 100,000",
                "fewer models, runs or cases");
  }
  for (const std::string& student : m_params.student) {
    for (const std::string& model : m_params.model) {
      if (!student.starts_with("cli.")) { // which know their models themselves
        TRY(m_models.check(model));
      }
      TRY(open_student(m_workshop, m_params, m_models, {student, model}, {}));
    }
  }
  if (!m_params.judge_model.empty()) {
    return m_models.check(m_params.judge_model);
  }
  for (const eval::Case& one : m_request.suite.cases) {
    if (!eval::external_needs(one).opinions.empty()) {
      return fail(ErrorCode::invalid_argument,
                  "case `" + one.id + "` needs a judge, and no judge model is named",
                  "`--judge-model`, or `judge_model` in the configuration");
    }
  }
  return {};
}

asio::awaitable<Result<std::vector<EvalSample>>> EvalSession::draw_one(std::string student,
                                                                       std::string model,
                                                                       students::SkillSets skills,
                                                                       bool baseline,
                                                                       std::string* first_error) {
  Result<std::unique_ptr<students::Student>> opened =
      open_student(m_workshop, m_params, m_models, {student, model}, std::move(skills));
  CO_TRY(opened);
  evals::EvaluationOptions options;
  options.runs = static_cast<std::uint32_t>(m_params.runs.value_or(1));
  options.baseline = baseline;
  options.seed = static_cast<std::uint64_t>(m_params.seed);
  options.in_flight = static_cast<std::size_t>(
      m_params.jobs.value_or(has_workspace(student) ? k_at_work : k_in_flight));
  options.skill = m_request.skill.name;
  options.pool.emplace(m_workshop.share);
  options.gatherers = {&m_workspaces, &m_judge}; // a judge looks into files
  std::string doing = "asking " + (model.empty() ? student : model);
  options.progress = [this, &doing, total = all()](std::size_t done, std::size_t) {
    m_context.progress(static_cast<double>(m_done + done), static_cast<double>(total), doing);
  };
  evals::Evaluation evaluation(m_workshop.executor, m_request.suite, **opened, std::move(options));
  AWAIT(std::vector<EvalSample> drawn, evaluation.run());
  m_done += drawn.size();
  const std::optional<Error>& first = evaluation.first_error();
  m_first_error = m_first_error ? m_first_error : first;
  m_first_ungraded =
      m_first_ungraded.empty() ? evaluation.first_ungraded() : std::move(m_first_ungraded);
  *first_error = first ? first->message : evaluation.first_ungraded();
  co_return drawn;
}

asio::awaitable<Result<void>> EvalSession::draw() {
  students::SkillSets arms;
  arms.with_skill.push_back(m_request.skill);
  if (m_request.against) {
    arms.baseline.push_back(*m_request.against);
  }
  for (const std::string& model : m_params.model) {
    for (const std::string& student : m_params.student) {
      std::string first;
      AWAIT(Result<std::vector<EvalSample>> drawn,
            draw_one(student, model, arms, !m_params.no_baseline, &first));
      CO_TRY(drawn);
      samples.push_back({model, student, std::move(*drawn)});
      first_errors.push_back(std::move(first));
    }
  }
  for (const std::string& model : m_params.model) {
    for (const std::vector<students::OfferedSkill>& set : combined_sets()) {
      students::SkillSets only;
      only.with_skill = set;
      std::string first;
      AWAIT(Result<std::vector<EvalSample>> drawn,
            draw_one(m_params.student.front(), model, only, false, &first));
      CO_TRY(drawn);
      CombinationSamples& one = combinations.emplace_back();
      one.model = model;
      for (const students::OfferedSkill& skill : set) {
        one.skills.push_back(skill.name);
      }
      one.samples = std::move(*drawn);
    }
  }
  co_return Result<void>();
}

} // namespace upskill::daemon
