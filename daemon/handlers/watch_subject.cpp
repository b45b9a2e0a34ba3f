#include "daemon/handlers/watch_subject.h"

#include "daemon/await.h"
#include "daemon/evals/judge_gatherer.h"
#include "daemon/evals/sample_drawer.h"
#include "daemon/evals/workspace_gatherer.h"
#include "daemon/handlers/eval_options.h"
#include "daemon/handlers/eval_students.h"
#include "daemon/handlers/watch_account.h"
#include "daemon/handlers/watch_outcomes.h"
#include "daemon/handlers/watch_verdict.h"
#include "daemon/regression/test_run.h"
#include "daemon/runtime/offload.h"
#include "protocol/codec/codec.h"
#include "protocol/rpc/simdjson_reader.h"
#include "skills/eval/suite_hash.h"
#include "skills/regression/estimate.h"
#include "skills/regression/reason_words.h"
#include "skills/regression/spending.h"
#include "skills/store/regression_store.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_in_flight = 20;
constexpr std::size_t k_at_work = 4; // a student with a workspace is a program on this machine

const regression::NeededCases& needed_of(const WatchExam& exam, WatchMeasure measure) {
  return measure == WatchMeasure::trigger ? exam.needed.trigger : exam.needed.answers;
}

EvalParams params_of(const WatchExam& exam, const RecordedSubject& recorded) {
  EvalParams params;
  params.skill = exam.folder; // not its name, which another scope may have too
  params.model.push_back(recorded.model);
  params.student.push_back(recorded.student);
  params.triggers = recorded.measure == WatchMeasure::trigger;
  params.no_baseline = true;
  params.judge_model = exam.record.judge_model;
  params.base_url = exam.record.base_url;
  params.no_sandbox = exam.record.no_sandbox;
  return params;
}

// What tells its test from the others of the version.
std::string test_words(const store::VerdictKey& key) {
  return key.model + "\n" + key.student + "\n" + key.measure + "\n" + key.cases.hex();
}

// More accepted samples, runs or budget would change nothing. Who asks again in any other case asks
// the cache first.
bool is_decided(WatchReason reason) {
  return reason == WatchReason::dropped || reason == WatchReason::held;
}

// Whatever else is worth keeping may decide otherwise tomorrow: a budget, a person, a server.
bool is_lasting(WatchReason reason) {
  return reason == WatchReason::dropped || reason == WatchReason::held
         || reason == WatchReason::out_of_runs || reason == WatchReason::nothing_to_lose;
}

// One test, from the cases as they are read to what is kept.
class SubjectExam {
public:
  SubjectExam(WatchRoom room, std::shared_ptr<const WatchExam> exam, std::size_t subject)
      : m_room(room)
      , m_exam(std::move(exam))
      , m_recorded(m_exam->record.subjects.at(subject))
      , m_params(params_of(*m_exam, m_recorded))
      , m_told(subject_of(m_recorded))
      , m_account(room, *m_exam, m_recorded) {}

  asio::awaitable<Result<WatchedSubject>> run(SubjectProgress progress) {
    AWAIT(Result<std::optional<WatchedSubject>> known, recall());
    CO_TRY(known);
    if (*known) {
      co_return std::move(**known);
    }
    m_started_ms = m_room.journal.now_ms();
    AWAIT(Result<void> tested, test(progress));
    CO_TRY(tested);
    auto end = [this] { m_request.copies.clear(); }; // here, where it may take its time
    AWAIT_DONE(runtime::offload(pool(), std::move(end)));
    co_return m_told;
  }

  // What needs no test; else everything is read for one.
  asio::awaitable<Result<std::optional<WatchedSubject>>> recall() {
    if (needed().none()) {
      m_told.verdict = WatchVerdict::ok;
      m_told.reason = WatchReason::held;
      m_told.why = "nothing was changed that it depends on";
      co_return m_told;
    }
    AWAIT(Result<std::shared_ptr<const Catalogue>> catalogue, m_room.library.catalogue({}));
    CO_TRY(catalogue);
    auto read = [&]() -> Result<void> {
      TRY_ASSIGN(m_request, read_request(**catalogue, m_params, {true, {}}));
      RequestContext context;
      context.principal = "watch"; // nobody sends keys: they are the daemon's own, and the file's
      TRY_ASSIGN(m_options, read_model_options(m_params, context, engine().places));
      return {};
    };
    AWAIT(Result<void> done, runtime::offload(pool(), std::move(read)));
    CO_TRY(done);
    if (m_request.hash != m_exam->version.hash.hex()) {
      co_return fail(ErrorCode::changed, "the skill was changed while it was looked at");
    }
    if (m_request.why_no_cases) {
      m_told.reason = WatchReason::no_cases;
      m_told.why = m_request.why_no_cases->message;
      co_return m_told;
    }
    m_key = {watch_key(m_exam->skill),
             m_exam->accepted.value_or(Digest()),
             m_exam->version.hash,
             eval::suite_hash(m_request.suite),
             m_recorded.model,
             m_recorded.student,
             std::string(enum_name(m_recorded.measure))};
    auto find = [&](store::EvalStore& store) {
      return store::RegressionStore(store).find_verdict(m_key);
    };
    AWAIT(Result<std::optional<store::VerdictRow>> kept, m_room.journal.with(std::move(find)));
    CO_TRY(kept);
    // One of before the acceptance was held against samples of that time.
    if (*kept && (*kept)->started_ms >= m_exam->accepted_ms) {
      Result<WatchedSubject> told = read_kept((*kept)->record);
      if (told && is_decided(told->reason)) {
        co_return std::move(*told);
      }
    }
    co_return std::nullopt;
  }

private:
  const EngineContext& engine() { return m_room.library.service().context(); }

  runtime::Pool::Share pool() { return engine().pool().of(0); }

  Result<regression::TestOptions> test_options(const eval::CaseSuite& suite,
                                               const regression::NeededCases& needed) const {
    const regression::WatchThresholds& thresholds = m_exam->settings.thresholds;
    regression::TestOptions options;
    options.accepted = outcomes_of(m_recorded, suite, needed.never_asked);
    TRY_ASSIGN(options.alpha,
               regression::alpha_of_look(thresholds.alpha.value_or(options.alpha),
                                         static_cast<std::size_t>(m_exam->look),
                                         m_exam->record.subjects.size()));
    options.beta = thresholds.beta.value_or(options.beta);
    options.drop = thresholds.drop.value_or(options.drop);
    options.runs = static_cast<std::uint32_t>(m_exam->settings.runs.value_or(options.runs));
    return options;
  }

  const regression::NeededCases& needed() const { return needed_of(*m_exam, m_recorded.measure); }

  asio::awaitable<Result<void>> test(const SubjectProgress& progress) {
    const EvalParams& params = m_params;
    EvalRequest& request = m_request;
    const regression::NeededCases& needed = this->needed();
    if (!needed.all) { // a case that was changed alone asks for itself
      std::erase_if(request.suite.cases, [&](const eval::Case& one) {
        return std::ranges::find(needed.ids, one.id) == needed.ids.end();
      });
    }
    for (const std::string& id : needed.never_asked) {
      if (std::ranges::find(request.suite.cases, id, &eval::Case::id)
          != request.suite.cases.end()) {
        m_told.never_asked.push_back(id);
      }
    }
    CO_TRY_ASSIGN(regression::TestOptions plan, test_options(request.suite, needed));
    CO_TRY_ASSIGN(regression::Test test, regression::Test::open(plan));
    tell_flaky(test.report(), request.suite);
    bool missing = false;
    const bool is_auto = m_exam->settings.mode == regression::WatchMode::automatic;
    const bool asks = is_auto && m_account.may_spend(0); // what costs nothing goes on all the same
    m_options.missing = asks ? nullptr : &missing;
    EvalModels models(engine().io.get_executor(),
                      m_room.http,
                      m_room.journal,
                      pool(),
                      std::move(m_options),
                      request.scripts);
    sandbox::Sandbox sandbox;
    Workshop workshop{engine().io.get_executor(), engine().pool(), pool(), sandbox};
    students::SkillSets arms;
    arms.with_skill.push_back(request.skill);
    CO_TRY_ASSIGN(
        std::unique_ptr<students::Student> student,
        open_student(
            workshop, params, models, {m_recorded.student, m_recorded.model}, std::move(arms)));
    evals::WorkspaceGatherer workspaces(engine().pool(), sandbox);
    evals::JudgeGatherer judge(params.judge_model.empty() ? nullptr
                                                          : &models.model(params.judge_model),
                               params.judge_model);
    evals::DrawOptions draw_options{request.skill.name, {&workspaces, &judge}, pool()};
    evals::SampleDrawer drawer(request.suite, *student, std::move(draw_options));
    const bool is_kept = !m_recorded.student.starts_with("cli."); // what it answers
    TestOutcomes outcomes(m_room, *m_exam, test_words(m_key));
    if (!is_kept) {
      AWAIT(std::vector<KnownOutcome> known, outcomes.read());
      put_known(test, request.suite, known);
    }
    regression::TestRunOptions run_options;
    run_options.in_flight = m_recorded.student == "chat" ? k_in_flight : k_at_work;
    run_options.draw =
        [&](regression::WantedSample wanted) -> asio::awaitable<std::optional<EvalSample>> {
      if (!asks && !is_kept) {
        co_return std::nullopt;
      }
      if (m_account.is_much_unsaved()) {
        AWAIT_DONE(m_account.save());
      }
      CutOff cut_off(m_account, asks);
      AWAIT(EvalSample sample, drawer.draw({wanted.case_number, EvalArm::with_skill, wanted.run}));
      cut_off.came_in();
      if (missing && sample.outcome == SampleOutcome::error) {
        co_return std::nullopt;
      }
      if (!m_is_counted) { // from now on something is known of this version
        m_is_counted = true;
        AWAIT(Result<std::int64_t> look, count_look(m_room, *m_exam));
        static_cast<void>(look); // the number that it has; an error of the store is told elsewhere
      }
      if (!is_kept) {
        AWAIT_DONE(outcomes.add(sample));
      }
      co_return sample;
    };
    run_options.may_ask = [&](std::size_t under_way) {
      return !asks || m_account.may_spend(under_way);
    };
    run_options.drawn = [&](const regression::WantedSample& wanted, const EvalSample& sample) {
      m_account.count_judge(judge.spent());
      count(wanted, sample);
      tell(m_told, test.report());
      progress(m_told);
    };
    regression::TestRun run(engine().io.get_executor(), test, std::move(run_options));
    AWAIT_DONE(see_through(run, judge));
    tell(m_told, test.report());
    if (m_told.reason == WatchReason::errors && drawer.first_error()) {
      m_told.why += ": " + drawer.first_error()->message;
    }
    if (m_told.reason == WatchReason::waiting) {
      AWAIT_DONE(estimate(plan));
      if (is_auto && !asks) {
        m_told.reason = WatchReason::out_of_budget;
        m_told.why = "the budget is spent";
      }
    }
    if (is_lasting(m_told.reason)) {
      AWAIT(Result<void> kept, keep());
      CO_TRY(kept);
      if (!is_kept && is_decided(m_told.reason)) {
        AWAIT_DONE(outcomes.forget());
      }
    }
    co_return Result<void>();
  }

  void tell_flaky(const regression::TestReport& report, const eval::CaseSuite& suite) {
    for (std::size_t i = 0; i < report.cases.size(); ++i) {
      if (report.cases[i].gate == regression::CaseGate::quarantined) {
        m_told.flaky.push_back(suite.cases[i].id);
      }
    }
  }

  // An outcome of a case that is not asked any more counts for nothing.
  static void put_known(regression::Test& test,
                        const eval::CaseSuite& suite,
                        const std::vector<KnownOutcome>& known) {
    for (const KnownOutcome& one : known) {
      auto found = std::ranges::find(suite.cases, one.case_id, &eval::Case::id);
      if (found != suite.cases.end() && one.run > 0) {
        regression::WantedSample sample{
            static_cast<std::size_t>(found - suite.cases.begin()),
            static_cast<std::uint32_t>(std::min<std::int64_t>(one.run, regression::k_most_runs))};
        static_cast<void>(test.add(sample, one.outcome)); // one that is not in the plan is none
      }
    }
  }

  void count(const regression::WantedSample& wanted, const EvalSample& sample) {
    m_account.count(sample);
    m_told.asked = m_account.spent().runs;
    m_told.tokens = m_account.spent().tokens;
    m_told.cost = m_told.asked > 0 ? m_account.cost() : std::nullopt;
    const std::int64_t tier = sample.cached ? 1 : wanted.run == 1 ? 2 : 3;
    m_told.tier = std::max(m_told.tier, tier);
  }

  // What it takes to go on, so that a person can say go, or not.
  asio::awaitable<void> estimate(const regression::TestOptions& plan) {
    auto work = [&plan] { return regression::estimate_test(plan); };
    AWAIT(Result<regression::Estimate> found, runtime::offload(pool(), std::move(work)));
    if (!found) {
      co_return; // the test itself could be opened: a bug of ours
    }
    WatchEstimate& told = m_told.estimate.emplace();
    told.samples = found->likely;
    told.if_worse = found->if_worse;
    told.most = m_told.most; // that count; one that ends in an error costs little
    if (m_recorded.usd) {
      told.usd = *m_recorded.usd * told.samples;
      told.most_usd = *m_recorded.usd * static_cast<double>(told.most);
    }
  }

  // What was spent is kept however it ends.
  asio::awaitable<void> see_through(regression::TestRun& run, const evals::JudgeGatherer& judge) {
    std::exception_ptr cut_short;
    try {
      AWAIT_DONE(run.run());
    } catch (...) {
      cut_short = std::current_exception();
    }
    co_await asio::this_coro::throw_if_cancelled(false);
    m_account.count_judge(judge.spent());
    AWAIT_DONE(m_account.save());
    if (cut_short) {
      std::rethrow_exception(cut_short);
    }
    co_await asio::this_coro::throw_if_cancelled(true);
  }

  asio::awaitable<Result<void>> keep() {
    store::VerdictRow row{m_key};
    row.verdict = enum_name(m_told.verdict);
    row.started_ms = m_started_ms;
    row.finished_ms = m_room.journal.now_ms();
    row.samples = m_told.samples;
    row.tokens = m_account.spent().tokens;
    row.cost = m_account.cost();
    row.record = encode(m_told);
    auto put = [&](store::EvalStore& store) -> Result<void> {
      store::RegressionStore watched(store);
      TRY(watched.put_verdict(row));
      TRY(watched.purge(row.finished_ms));
      return {};
    };
    AWAIT(Result<void> kept, m_room.journal.with(std::move(put)));
    co_return kept;
  }

  WatchRoom m_room;
  std::shared_ptr<const WatchExam> m_exam;
  const RecordedSubject& m_recorded;
  EvalParams m_params;
  EvalRequest m_request = {};
  EvalModelOptions m_options = {};
  WatchedSubject m_told;
  store::VerdictKey m_key = {};
  std::int64_t m_started_ms = 0;
  bool m_is_counted = false; // as a look
  WatchAccount m_account;
};

} // namespace

asio::awaitable<Result<WatchedSubject>> examine_subject(WatchRoom room,
                                                        std::shared_ptr<const WatchExam> exam,
                                                        std::size_t subject,
                                                        SubjectProgress progress) {
  SubjectExam work(room, std::move(exam), subject);
  AWAIT(Result<WatchedSubject> told, work.run(std::move(progress)));
  co_return told;
}

asio::awaitable<Result<std::optional<WatchedSubject>>>
recall_subject(WatchRoom room, std::shared_ptr<const WatchExam> exam, std::size_t subject) {
  SubjectExam work(room, std::move(exam), subject);
  AWAIT(Result<std::optional<WatchedSubject>> told, work.recall());
  co_return told;
}

} // namespace upskill::daemon
