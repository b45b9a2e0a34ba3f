#include "daemon/handlers/version_test.h"

#include "daemon/await.h"
#include "daemon/evals/evaluation.h"
#include "daemon/evals/judge_gatherer.h"
#include "daemon/evals/sample_drawer.h"
#include "daemon/evals/workspace_gatherer.h"
#include "daemon/handlers/watch_record.h"
#include "daemon/regression/test_run.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_in_flight = 20;
constexpr std::int64_t k_at_work = 4; // a student with a workspace is a program on this machine

// A test speaks of what a person has accepted.
std::string called(std::string why, std::string_view other) {
  constexpr std::string_view k_accepted = "the accepted version";
  for (std::size_t at = 0; (at = why.find(k_accepted, at)) != std::string::npos;) {
    why.replace(at, k_accepted.size(), other);
    at += other.size();
  }
  return why;
}

class VersionsHeld {
public:
  explicit VersionsHeld(VersionTest test)
      : m_test(std::move(test))
      , m_workspaces(m_test.workshop.pool, m_test.workshop.sandbox) {
    m_told.model = m_test.name.model;
    m_told.student = m_test.name.student;
    m_told.measure = m_test.measure;
    m_told.cost = 0;
  }

  asio::awaitable<Result<WatchedSubject>> run() {
    AWAIT(Result<std::vector<EvalSample>> before, draw_other());
    CO_TRY(before);
    RecordedSubject recorded;
    recorded.cases = recorded_cases(m_test.request.suite, *before);
    if (is_spent()) {
      co_return spent();
    }
    m_test.options.accepted = outcomes_of(recorded, m_test.request.suite, {});
    // Samples that are under way when a test decides are given up. So that they are not asked for
    // the next time, what is known is looked at first.
    const bool is_kept = !m_test.name.student.starts_with("cli.");
    const std::size_t before_it = m_drawn;
    constexpr std::array k_asks{false, true};
    for (bool asks : k_asks) {
      if (!asks && !is_kept) {
        continue;
      }
      m_drawn = before_it;
      CO_TRY_ASSIGN(regression::Test test, regression::Test::open(m_test.options));
      AWAIT(Result<void> drawn, draw_newer(test, asks));
      CO_TRY(drawn);
      tell(test.report());
      if (m_told.reason != WatchReason::waiting) {
        break;
      }
    }
    if (m_told.reason == WatchReason::waiting || m_told.reason == WatchReason::out_of_budget) {
      co_return spent();
    }
    const bool is_known = m_told.reason != WatchReason::nothing_accepted;
    if ((m_told.reason == WatchReason::errors || !is_known) && m_first_error) {
      m_told.reason = WatchReason::errors;
      m_told.why = (is_known ? m_told.why : "nothing is known of the base") + ": " + *m_first_error;
    }
    co_return m_told;
  }

private:
  std::size_t in_flight() const {
    const bool is_chat = m_test.name.student == "chat";
    return static_cast<std::size_t>(m_test.params.jobs.value_or(is_chat ? k_in_flight : k_at_work));
  }

  evals::JudgeGatherer judge_of(EvalModels& models) const {
    const std::string& name = m_test.params.judge_model;
    return {name.empty() ? nullptr : &models.model(name), name};
  }

  bool is_spent() const { return !m_test.models.budget().stopped().empty(); }

  WatchedSubject spent() {
    m_told.verdict = WatchVerdict::undecided;
    m_told.reason = WatchReason::out_of_budget;
    m_told.why = m_test.models.budget().stopped();
    return m_told;
  }

  void count(const EvalSample& sample) {
    if (m_test.drawn) {
      m_test.drawn(++m_drawn);
    }
    if (sample.cached || (sample.outcome == SampleOutcome::error && is_spent())) {
      return;
    }
    ++m_told.asked;
    m_told.tokens += sample.tokens.total.value_or(0);
    m_told.cost =
        m_told.cost && sample.cost ? std::optional(*m_told.cost + *sample.cost) : std::nullopt;
  }

  asio::awaitable<Result<std::vector<EvalSample>>> draw_other() {
    students::SkillSets only;
    if (m_test.request.against) {
      only.with_skill.push_back(*m_test.request.against);
    }
    CO_TRY_ASSIGN(
        std::unique_ptr<students::Student> student,
        open_student(m_test.workshop, m_test.params, m_test.models, m_test.name, std::move(only)));
    evals::EvaluationOptions options;
    options.runs = m_test.runs;
    options.baseline = false;
    options.seed = static_cast<std::uint64_t>(m_test.params.seed);
    options.in_flight = in_flight();
    options.skill = m_test.request.skill.name;
    evals::JudgeGatherer judge = judge_of(m_test.models);
    options.gatherers = {&m_workspaces, &judge};
    options.pool.emplace(m_test.workshop.share);
    options.progress = [this](std::size_t done, std::size_t) {
      if (m_test.drawn) {
        m_test.drawn(done);
      }
    };
    evals::Evaluation evaluation(
        m_test.workshop.executor, m_test.request.suite, *student, std::move(options));
    AWAIT(std::vector<EvalSample> samples, evaluation.run());
    m_drawn = 0;
    for (const EvalSample& sample : samples) {
      count(sample);
    }
    note(evaluation.first_error(), judge.first_error(), evaluation.first_ungraded());
    co_return samples;
  }

  asio::awaitable<Result<void>> draw_newer(regression::Test& test, bool asks) {
    EvalModels& models = asks ? m_test.models : m_test.known;
    bool& missing = m_test.missing;
    missing = false;
    students::SkillSets only;
    only.with_skill.push_back(m_test.request.skill);
    CO_TRY_ASSIGN(
        std::unique_ptr<students::Student> student,
        open_student(m_test.workshop, m_test.params, models, m_test.name, std::move(only)));
    evals::JudgeGatherer judge = judge_of(models);
    evals::DrawOptions options{
        m_test.request.skill.name, {&m_workspaces, &judge}, m_test.workshop.share};
    evals::SampleDrawer drawer(m_test.request.suite, *student, std::move(options));
    regression::TestRunOptions run_options;
    run_options.in_flight = in_flight();
    run_options.may_ask = [this, asks](std::size_t) { return !asks || !is_spent(); };
    run_options.draw =
        [&](regression::WantedSample wanted) -> asio::awaitable<std::optional<EvalSample>> {
      AWAIT(EvalSample sample, drawer.draw({wanted.case_number, EvalArm::with_skill, wanted.run}));
      const bool is_missing = asks ? is_spent() : missing;
      if (sample.outcome == SampleOutcome::error && is_missing) {
        co_return std::nullopt; // it was not asked
      }
      co_return sample;
    };
    run_options.drawn = [this](const regression::WantedSample&, const EvalSample& sample) {
      count(sample);
    };
    regression::TestRun run(m_test.workshop.executor, test, std::move(run_options));
    AWAIT_DONE(run.run());
    if (asks) { // else it is that an answer is missing
      note(drawer.first_error(), judge.first_error(), drawer.first_ungraded());
    }
    co_return Result<void>();
  }

  void note(const std::optional<Error>& error,
            const std::optional<Error>& of_judge,
            const std::string& ungraded) {
    if (m_first_error) {
      return;
    }
    if (error || of_judge) {
      m_first_error = (error ? error : of_judge)->message;
    } else if (!ungraded.empty()) {
      m_first_error = ungraded;
    }
  }

  void tell(const regression::TestReport& report) {
    m_told.verdict = report.verdict;
    m_told.reason = report.reason;
    m_told.why = called(report.why, m_test.other);
    m_told.accepted_rate = report.accepted_rate;
    if (report.reason == WatchReason::nothing_accepted) {
      m_told.accepted_rate.reset();
    }
    if (report.rate) {
      m_told.rate = EvalShare{*report.rate, report.interval.low, report.interval.high};
    }
    m_told.samples = static_cast<std::int64_t>(report.samples);
    m_told.most = static_cast<std::int64_t>(report.most);
    m_told.errors = static_cast<std::int64_t>(report.errors);
    m_told.alpha = report.alpha;
    m_told.flaky.clear();
    for (std::size_t i = 0; i < report.cases.size(); ++i) {
      if (report.cases[i].gate == regression::CaseGate::quarantined) {
        m_told.flaky.push_back(m_test.request.suite.cases[i].id);
      }
    }
  }

  VersionTest m_test;
  WatchedSubject m_told = {};
  evals::WorkspaceGatherer m_workspaces;
  std::size_t m_drawn = 0;
  std::optional<std::string> m_first_error = {};
};

} // namespace

asio::awaitable<Result<WatchedSubject>> hold_versions(VersionTest test) {
  VersionsHeld held(std::move(test));
  AWAIT(Result<WatchedSubject> told, held.run());
  co_return told;
}

} // namespace upskill::daemon
