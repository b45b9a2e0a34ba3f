#include "daemon/await.h"
#include "daemon/evals/evaluation.h"
#include "daemon/models/scripted.h"
#include "daemon/students/chat.h"
#include "protocol/base/utf8.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

using namespace upskill;
using namespace upskill::evals;
using students::Task;
using students::Work;

namespace {

eval::Case case_of(std::string id, std::string input, std::string expected) {
  eval::Case one;
  one.id = std::move(id);
  one.input = std::move(input);
  eval::Check check;
  check.values = {std::move(expected)};
  one.checks.push_back(std::move(check));
  return one;
}

eval::CaseSuite suite_of(std::size_t cases) {
  eval::CaseSuite suite;
  for (std::size_t i = 0; i < cases; ++i) {
    suite.cases.push_back(
        case_of("case " + std::to_string(i), "question " + std::to_string(i), "right"));
  }
  return suite;
}

// What a student does: says one thing as soon as its gate is open. How many do so at a time, and
// what they were asked, is counted.
class GatedStudent : public students::Student {
public:
  explicit GatedStudent(asio::any_io_executor executor)
      : m_gate(std::move(executor)) {}

  std::string_view name() const override { return "gated"; }

  asio::awaitable<Result<Work>> work(Task task) override {
    std::size_t number = asked.size();
    asked.push_back(std::move(task));
    UnderWay here(*this);
    bool throws = co_await asio::this_coro::throw_if_cancelled();
    co_await asio::this_coro::throw_if_cancelled(throws && !is_stubborn);
    while (m_passes == 0) {
      co_await m_gate.wait();
      if (breaks_when_cancelled) {
        asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) {
          throw std::logic_error("broken while it was cancelled");
        }
      }
    }
    co_await asio::this_coro::throw_if_cancelled(throws);
    --m_passes;
    if (number == breaks_at) {
      throw std::logic_error("broken");
    }
    co_return says;
  }

  // Lets so many more go on.
  void let_pass(std::size_t count) {
    m_passes += count;
    m_gate.notify_all();
  }

  Work says = {};
  std::size_t breaks_at = SIZE_MAX; // the number of a task, from 0
  bool breaks_when_cancelled = false;
  bool is_stubborn = false; // waits for its gate although it was cancelled
  std::vector<Task> asked = {};
  std::size_t under_way = 0;
  std::size_t most_under_way = 0;

private:
  struct UnderWay {
    explicit UnderWay(GatedStudent& student)
        : m_student(student) {
      m_student.most_under_way = std::max(m_student.most_under_way, ++m_student.under_way);
    }

    ~UnderWay() { --m_student.under_way; }

    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;

    GatedStudent& m_student;
  };

  runtime::Condition m_gate;
  std::size_t m_passes = 0;
};

asio::awaitable<void> keep(Evaluation* evaluation, std::vector<EvalSample>* samples) {
  AWAIT(*samples, evaluation->run());
}

asio::awaitable<void> join(runtime::TaskGroup* group) {
  co_await group->join();
}

// One evaluation by a gated student that is under way while a test looks at it.
struct Fixture {
  explicit Fixture(std::size_t cases, EvaluationOptions options = {})
      : suite(suite_of(cases))
      , evaluation(io.get_executor(), suite, student, std::move(options)) {
    student.says.observation.answer = "right";
  }

  // Up to where everybody waits.
  void start() {
    group.start(keep(&evaluation, &samples));
    go_on();
  }

  void go_on() {
    io.restart();
    io.poll();
  }

  void end() { tests::run_coroutine(io, join(&group)); }

  // What left run().
  std::string failure() const {
    if (failures.empty()) {
      return {};
    }
    try {
      std::rethrow_exception(failures.front());
    } catch (const std::logic_error& error) {
      return error.what();
    } catch (...) {
      return "something else";
    }
  }

  asio::io_context io;
  eval::CaseSuite suite;
  GatedStudent student{io.get_executor()};
  Evaluation evaluation;
  std::vector<EvalSample> samples;
  std::vector<std::exception_ptr> failures;
  runtime::TaskGroup group{io.get_executor(),
                           [this](std::exception_ptr e) { failures.push_back(std::move(e)); }};
};

EvaluationOptions at_a_time(std::size_t in_flight) {
  EvaluationOptions options;
  options.in_flight = in_flight;
  return options;
}

// The one sample of a student that says this.
EvalSample sample_of(Work says, std::string_view expected = "right") {
  EvaluationOptions options;
  options.baseline = false;
  Fixture fixture(1, std::move(options));
  fixture.suite.cases[0].checks[0].values = {std::string(expected)};
  fixture.student.says = std::move(says);
  fixture.student.let_pass(1);
  fixture.start();
  fixture.end();
  REQUIRE(fixture.samples.size() == 1);
  return fixture.samples.front();
}

Work answer(std::string text) {
  Work work;
  work.observation.answer = std::move(text);
  return work;
}

} // namespace

TEST_SUITE("Evaluation") {
  TEST_CASE("all samples are drawn and graded") {
    eval::CaseSuite suite;
    suite.cases = {case_of("easy", "easy commit", "feat"), case_of("hard", "hard commit", "feat")};
    auto script = models::read_script(R"({"rules": [
      {"system": "Skill: git-commit", "user": "commit", "answer": "feat: login"},
      {"user": "easy", "sample": 2, "answer": "feat: by luck"},
      {"answer": "Added login"}]})",
                                      "rules.json");
    REQUIRE(script);
    models::ScriptedModel model(std::move(*script));
    students::Chat student(model, "scripted", {{{"git-commit", "", "Begin with `feat: `."}}});
    EvaluationOptions options;
    options.runs = 3;
    options.seed = 9;
    asio::io_context io;
    Evaluation evaluation(io.get_executor(), suite, student, std::move(options));
    std::vector<EvalSample> samples;
    tests::run_coroutine(io, keep(&evaluation, &samples));
    const auto plan = eval::plan_samples(2, 3, true, 9);
    REQUIRE(samples.size() == plan.size());
    for (std::size_t i = 0; i < plan.size(); ++i) {
      const EvalSample& sample = samples[i];
      CAPTURE(i);
      CHECK(sample.case_id == suite.cases[plan[i].case_number].id);
      CHECK(sample.arm == plan[i].arm);
      CHECK(sample.run == plan[i].run);
      const bool is_luck = sample.case_id == "easy" && sample.run == 2;
      const bool passes = sample.arm == EvalArm::with_skill || is_luck;
      CHECK(sample.outcome == (passes ? SampleOutcome::passed : SampleOutcome::failed));
      REQUIRE(sample.checks.size() == 1);
      CHECK(sample.checks[0].outcome == sample.outcome);
      CHECK_FALSE(sample.checks[0].name.empty());
      CHECK(sample.error.empty());
    }
    CHECK_FALSE(evaluation.first_error());
  }

  TEST_CASE("an error of one sample leaves the others") {
    eval::CaseSuite suite = suite_of(4);
    auto script = models::read_script(
        R"({"rules": [{"user": "question 2", "fault": "busy"}, {"answer": "right"}]})", "rules");
    REQUIRE(script);
    models::ScriptedModel model(std::move(*script));
    students::Chat student(model, "scripted", {{{"s", "", "body"}}});
    asio::io_context io;
    Evaluation evaluation(io.get_executor(), suite, student, {});
    std::vector<EvalSample> samples;
    tests::run_coroutine(io, keep(&evaluation, &samples));
    CHECK(samples.size() == 8);
    for (const EvalSample& sample : samples) {
      const bool is_lost = sample.case_id == "case 2";
      CHECK(sample.outcome == (is_lost ? SampleOutcome::error : SampleOutcome::passed));
      CHECK(sample.error.empty() != is_lost);
      CHECK(sample.checks.empty() == is_lost);
      CHECK(sample.tokens.total.has_value() == false);
    }
    REQUIRE(evaluation.first_error());
    CHECK(evaluation.first_error()->code == ErrorCode::busy);
  }

  TEST_CASE("a student is told the case, the arm and the run") {
    Fixture fixture(1);
    fixture.suite.cases[0].context_files = {{"a.txt", "text"}};
    fixture.suite.cases[0].expected_output = "prose for judges";
    fixture.student.let_pass(2);
    fixture.start();
    fixture.end();
    REQUIRE(fixture.student.asked.size() == 2);
    for (const Task& task : fixture.student.asked) {
      CHECK(task.input == "question 0");
      CHECK(task.files == std::map<std::string, std::string>{{"a.txt", "text"}});
      CHECK(task.sample == 1);
    }
    CHECK(fixture.student.asked[0].arm != fixture.student.asked[1].arm);
  }

  TEST_CASE("so many are asked at a time, and no more") {
    Fixture fixture(10, at_a_time(4));
    fixture.start();
    CHECK(fixture.student.under_way == 4);
    for (std::size_t done = 1; done <= 16; ++done) {
      fixture.student.let_pass(1);
      fixture.go_on();
      CHECK(fixture.student.under_way == 4);
      CHECK(fixture.student.asked.size() == 4 + done);
    }
    fixture.student.let_pass(4);
    fixture.end();
    CHECK(fixture.samples.size() == 20);
    CHECK(fixture.student.most_under_way == 4);
    CHECK(fixture.student.under_way == 0);
  }

  TEST_CASE("fewer samples than may be asked at a time, none at a time, and no sample") {
    Fixture few(1, at_a_time(20));
    few.start();
    CHECK(few.student.under_way == 2);
    few.student.let_pass(2);
    few.end();
    CHECK(few.samples.size() == 2);
    Fixture none_at_a_time(3, at_a_time(0)); // counts as one
    none_at_a_time.start();
    CHECK(none_at_a_time.student.under_way == 1);
    none_at_a_time.student.let_pass(6);
    none_at_a_time.end();
    CHECK(none_at_a_time.samples.size() == 6);
    CHECK(none_at_a_time.student.most_under_way == 1);
    Fixture none(0);
    none.start();
    none.end();
    CHECK(none.samples.empty());
    CHECK(none.failures.empty());
  }

  TEST_CASE("progress goes up to the total") {
    std::vector<std::pair<std::size_t, std::size_t>> told;
    EvaluationOptions options = at_a_time(3);
    options.runs = 2;
    options.progress = [&told](std::size_t done, std::size_t of) { told.emplace_back(done, of); };
    Fixture fixture(2, std::move(options));
    fixture.start();
    CHECK(told.empty());
    fixture.student.let_pass(5);
    fixture.go_on();
    CHECK(told.size() == 5);
    fixture.student.let_pass(3);
    fixture.end();
    REQUIRE(told.size() == 8);
    for (std::size_t i = 0; i < told.size(); ++i) {
      CHECK(told[i] == std::pair<std::size_t, std::size_t>(i + 1, 8));
    }
  }

  TEST_CASE("cancelled, it ends what is under way and asks nothing more") {
    Fixture fixture(10, at_a_time(4));
    fixture.start();
    CHECK(fixture.student.under_way == 4);
    fixture.group.cancel_all();
    fixture.end();
    CHECK(fixture.student.under_way == 0);
    CHECK(fixture.student.asked.size() == 4);
    CHECK(fixture.samples.empty());
    CHECK(fixture.failures.empty()); // but the cancellation itself
  }

  TEST_CASE("cancelled, it waits for a student that does not end at once") {
    Fixture fixture(10, at_a_time(2));
    fixture.student.is_stubborn = true;
    fixture.start();
    fixture.group.cancel_all();
    fixture.go_on();
    CHECK(fixture.student.under_way == 2);
    CHECK(fixture.group.size() == 1); // run() has not returned
    fixture.student.let_pass(2);
    fixture.end();
    CHECK(fixture.student.under_way == 0);
    CHECK(fixture.student.asked.size() == 2);
    CHECK(fixture.failures.empty());
  }

  TEST_CASE("a bug of a student leaves run() and ends the others") {
    Fixture fixture(10, at_a_time(4));
    fixture.student.breaks_at = 4;
    fixture.start();
    fixture.student.let_pass(20);
    fixture.end();
    CHECK(fixture.failure() == "broken");
    CHECK(fixture.failures.size() == 1);
    CHECK(fixture.student.under_way == 0);
    CHECK(fixture.student.asked.size() < 20);
    CHECK(fixture.samples.empty());
  }

  TEST_CASE("a bug before anybody waits ends those that began after it") {
    Fixture fixture(10, at_a_time(4));
    fixture.student.breaks_at = 0;
    fixture.student.let_pass(1);
    fixture.start();
    fixture.end();
    CHECK(fixture.failure() == "broken");
    CHECK(fixture.student.asked.size() == 4);
    CHECK(fixture.student.under_way == 0);
  }

  TEST_CASE("of several bugs the first is told") {
    Fixture fixture(10, at_a_time(4));
    fixture.student.breaks_at = 0;
    fixture.student.breaks_when_cancelled = true;
    fixture.start();
    fixture.student.let_pass(20);
    fixture.end();
    CHECK(fixture.failure() == "broken");
    CHECK(fixture.failures.size() == 1);
    CHECK(fixture.student.under_way == 0);
  }

  TEST_CASE("what a sample took is told, and what is unknown is not") {
    Work work = answer("all right");
    work.usage = {.input = 900, .cache_read = 50, .cache_write = 8, .output = 11};
    work.cost = .25;
    work.milliseconds = 1500;
    const EvalSample sample = sample_of(work);
    CHECK(sample.outcome == SampleOutcome::passed);
    CHECK(sample.output == "all right");
    CHECK(sample.tokens.input == 958);
    CHECK(sample.tokens.cached == 50);
    CHECK(sample.tokens.output == 11);
    CHECK(sample.tokens.total == 969);
    CHECK(sample.cost == .25);
    CHECK(sample.milliseconds == 1500);
    const EvalSample silent = sample_of(answer("right"));
    CHECK_FALSE(silent.tokens.input);
    CHECK_FALSE(silent.tokens.output);
    CHECK_FALSE(silent.tokens.cached);
    CHECK_FALSE(silent.tokens.total);
    CHECK_FALSE(silent.cost);
  }

  TEST_CASE("a check that cannot be told is an error, and says why") {
    Fixture fixture(1);
    eval::Check judge;
    judge.kind = eval::CheckKind::judge;
    judge.rubric = "It is polite.";
    fixture.suite.cases[0].checks.push_back(std::move(judge));
    fixture.student.let_pass(2);
    fixture.start();
    fixture.end();
    REQUIRE(fixture.samples.size() == 2);
    for (const EvalSample& sample : fixture.samples) {
      CHECK(sample.outcome == SampleOutcome::error);
      CHECK_FALSE(sample.error.empty());
      REQUIRE(sample.checks.size() == 2);
      CHECK(sample.error.starts_with(sample.checks[1].name));
      CHECK(sample.checks[0].outcome == SampleOutcome::passed);
      CHECK(sample.checks[1].outcome == SampleOutcome::error);
      CHECK(sample.output == "right");
    }
  }

  TEST_CASE("a long answer is cut at a code point, and graded as a whole") {
    constexpr std::size_t k_kept = 64u << 10;
    EvalSample sample =
        sample_of(answer(std::string(k_kept - 1, 'a') + "é and the end"), "the end");
    CHECK(sample.outcome == SampleOutcome::passed);
    CHECK(sample.output == std::string(k_kept - 1, 'a'));
    sample = sample_of(answer(std::string(k_kept - 2, 'a') + "é and the end"), "the end");
    CHECK(sample.output == std::string(k_kept - 2, 'a') + "é");
    sample = sample_of(answer(std::string(k_kept, 'a')), "the end");
    CHECK(sample.output == std::string(k_kept, 'a'));
  }

  TEST_CASE("an answer that is no UTF-8 is told as UTF-8, and is cut as well") {
    CHECK(sample_of(answer("a\xff")).output == "a\xEF\xBF\xBD");
    for (char byte : {'\xff', '\x80'}) {
      const EvalSample sample = sample_of(answer(std::string(100'000, byte)));
      CHECK(is_utf8(sample.output));
      CHECK(sample.output.size() <= 64u << 10);
      CHECK(sample.output.size() > 60u << 10);
    }
  }
}
