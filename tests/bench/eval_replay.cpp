#include "daemon/await.h"
#include "daemon/evals/eval_journal.h"
#include "daemon/evals/evaluation.h"
#include "daemon/models/chain.h"
#include "daemon/students/chat.h"
#include "tests/bench/bench.h"
#include "tests/bench/files.h"
#include "tests/bench/measure.h"
#include "tests/support/run_coroutine.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace upskill::bench {
namespace {

constexpr std::size_t k_cases = 1000;
constexpr std::uint32_t k_runs = 5; // in two arms: 10,000 answers
constexpr std::size_t k_answers = 2 * k_cases * k_runs;
constexpr std::size_t k_skill_bytes = 3072;

class Talker : public models::Model {
public:
  asio::awaitable<Result<models::Answer>> answer(models::Request request) override {
    ++asked;
    models::Answer answer;
    answer.text = "feat(login): add what " + request.messages.at(0).text + " asks for";
    answer.usage.input = 900;
    answer.usage.output = 40;
    answer.cost = 0.0023;
    answer.model = "talker-1";
    answer.provider = "bench";
    answer.milliseconds = 800;
    co_return answer;
  }

  std::size_t asked = 0;
};

eval::CaseSuite make_suite() {
  eval::CaseSuite suite;
  for (std::size_t i = 0; i < k_cases; ++i) {
    eval::Case one;
    one.id = fmt::format("case {}", i);
    one.input = fmt::format("question {}", i);
    eval::Check check;
    check.values = {"feat(login)"};
    one.checks.push_back(std::move(check));
    suite.cases.push_back(std::move(one));
  }
  return suite;
}

Result<models::Respondent> identify(const std::string& name) {
  return models::Respondent{.provider = "bench", .wire = "chat", .model = name};
}

// An evaluation of 10,000 samples, with the parts that the daemon has for it.
class World {
public:
  explicit World(const std::string& folder)
      : m_journal(m_io.get_executor(),
                  m_log,
                  {.path = folder + "/evals.db",
                   .pool = [this]() -> runtime::Pool& { return m_pool; },
                   .now_ms = [] { return std::int64_t{1}; }}) {
    m_skills.with_skill.push_back({"git-commit", {}, std::string(k_skill_bytes, 's'), {}});
  }

  ~World() { m_pool.join(); }

  // How many had to be asked.
  std::size_t evaluate() {
    auto talker = std::make_unique<Talker>();
    Talker& seen = *talker;
    models::Budget budget(m_io.get_executor());
    models::ChainOptions options;
    options.identify = [](const std::string& name) {
      return Result<models::Respondent>(
          models::Respondent{.provider = "bench", .wire = "chat", .model = name});
    };
    options.price = models::price_of_scripts();
    options.budget = &budget;
    options.answers = &m_journal;
    auto model = models::chained(m_io.get_executor(), std::move(talker), std::move(options));
    students::Chat student(*model, "talker", m_skills);
    evals::EvaluationOptions evaluation;
    evaluation.runs = k_runs;
    evals::Evaluation running(m_io.get_executor(), m_suite, student, std::move(evaluation));
    tests::run_coroutine(m_io, run(&running));
    return seen.asked;
  }

private:
  static asio::awaitable<void> run(evals::Evaluation* evaluation) {
    AWAIT(std::vector<EvalSample> samples, evaluation->run());
    for (const EvalSample& sample : samples) {
      require(sample.outcome == SampleOutcome::passed, "a sample has not passed");
    }
  }

  asio::io_context m_io;
  telemetry::Log m_log = telemetry::Log::none();
  runtime::Pool m_pool{2};
  eval::CaseSuite m_suite = make_suite();
  students::SkillSets m_skills;
  evals::EvalJournal m_journal;
};

store::EvalStore make_rows(const std::string& folder) {
  auto rows = store::EvalStore::open(folder + "/rows.db");
  require(rows.has_value(), "no database can be made");
  auto transaction = rows->begin();
  for (std::size_t i = 0; i < k_answers; ++i) {
    require(rows->add_answer(sha256(std::to_string(i)), 1, std::string(220, 'x'), 1).has_value(),
            "a row cannot be written");
  }
  require(transaction && transaction->commit(), "rows cannot be written");
  return std::move(*rows);
}

} // namespace

void eval_replay(const Settings& settings, const Report& report) {
  Scratch scratch(settings.folder);
  store::EvalStore rows = make_rows(scratch.path());
  World world(scratch.path());
  double first = seconds_of(
      [&] { require(world.evaluate() == k_answers, "something was known before it was asked"); });
  std::vector<double> taken =
      interleave(settings.runs,
                 {[&] {
                    return seconds_of([&] {
                      require(world.evaluate() == 0, "something was asked that was known");
                    });
                  },
                  [&] {
                    return seconds_of([&] {
                      for (std::size_t i = 0; i < k_answers; ++i) {
                        auto row = rows.find_answer(sha256(std::to_string(i)), 1, 1);
                        require(row && *row, "a row is gone");
                      }
                    });
                  }});
  report({"eval_replay",
          "ms",
          taken[0] * 1e3,
          taken[1] * 1e3,
          Judged::value,
          500,
          false,
          "10,000 kept answers through cache, student and grading, 20 in flight (500 ms are 20,000 "
          "a second); floor: reading 10,000 rows by their keys"});
  report({"eval_replay.first",
          "ms",
          first * 1e3,
          0,
          Judged::nothing,
          0,
          false,
          "the same when all of it is asked and kept, by a model that answers at once"});
}

} // namespace upskill::bench
