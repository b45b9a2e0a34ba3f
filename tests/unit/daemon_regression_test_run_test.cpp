#include "daemon/await.h"
#include "daemon/regression/test_run.h"
#include "tests/support/run_coroutine.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

using namespace upskill;
using namespace upskill::regression;

namespace {

// Ten cases that the accepted version passes in all of its six runs.
Test open_test() {
  TestOptions options;
  options.accepted.assign(10, std::vector<bool>(6, true));
  Result<Test> test = Test::open(std::move(options));
  REQUIRE(test);
  return *std::move(test);
}

// Answers as it is told to, and counts how often it was asked and how many waited at a time.
struct Asked {
  asio::io_context io;
  Test test = open_test();
  TestRunOptions options = {};
  std::size_t asked = 0;
  std::size_t under_way = 0;
  std::size_t most_under_way = 0;

  void answer(SampleOutcome outcome) {
    options.draw = [this, outcome](WantedSample) -> asio::awaitable<std::optional<EvalSample>> {
      ++asked;
      most_under_way = std::max(most_under_way, ++under_way);
      AWAIT_DONE(asio::post(io, asio::use_awaitable)); // the others come in between
      --under_way;
      EvalSample sample;
      sample.outcome = outcome;
      co_return sample;
    };
  }

  asio::awaitable<void> see_through() {
    TestRun run(io.get_executor(), test, std::move(options));
    AWAIT_DONE(run.run());
  }

  void run() { tests::run_coroutine(io, see_through()); }
};

} // namespace

TEST_SUITE("TestRun") {
  TEST_CASE("samples are drawn, some at a time, until it is decided") {
    for (SampleOutcome outcome : {SampleOutcome::passed, SampleOutcome::failed}) {
      Asked asked;
      asked.answer(outcome);
      asked.options.in_flight = 3;
      asked.run();
      const bool is_good = outcome == SampleOutcome::passed;
      CHECK(asked.test.report().verdict == (is_good ? WatchVerdict::ok : WatchVerdict::regressed));
      CHECK(asked.most_under_way == 3);
      // Those that were under way when it was decided are over, too.
      CHECK(asked.asked <= asked.test.report().samples + 3);
    }
  }

  TEST_CASE("answers that are there at once decide it as well") {
    Asked asked;
    asked.options.draw = [&](WantedSample) -> asio::awaitable<std::optional<EvalSample>> {
      EvalSample sample;
      sample.outcome = SampleOutcome::failed;
      co_return sample;
    };
    asked.options.in_flight = 3;
    asked.run();
    CHECK(asked.test.report().verdict == WatchVerdict::regressed);
  }

  TEST_CASE("errors are asked again, and end it undecided") {
    Asked asked;
    asked.answer(SampleOutcome::error);
    asked.run();
    CHECK(asked.test.report().verdict == WatchVerdict::undecided);
    CHECK(asked.test.report().reason == WatchReason::errors);
  }

  TEST_CASE("a budget is not overdrawn by those who ask at the same time") {
    Asked asked;
    asked.answer(SampleOutcome::passed);
    asked.options.in_flight = 8;
    std::size_t spent = 0;
    asked.options.may_ask = [&](std::size_t under_way) { return spent + under_way < 3; };
    asked.options.drawn = [&](const WantedSample&, const EvalSample&) { ++spent; };
    asked.run();
    CHECK(asked.asked == 3);
    CHECK(asked.test.report().samples == 3); // what was paid for counts
    CHECK(asked.test.report().reason == WatchReason::out_of_budget);
  }

  TEST_CASE("where nobody may be asked it waits for a person") {
    Asked asked;
    asked.options.draw = [&](WantedSample) -> asio::awaitable<std::optional<EvalSample>> {
      ++asked.asked;
      co_return std::nullopt;
    };
    asked.options.in_flight = 1;
    asked.run();
    CHECK(asked.asked == 1);
    CHECK(asked.test.report().reason == WatchReason::waiting);
  }

  TEST_CASE("a test that is over before anybody was asked ends, and asks nobody") {
    Asked asked;
    TestOptions lost;
    lost.accepted.assign(10, std::vector<bool>(6, false)); // there is nothing to lose
    Result<Test> test = Test::open(std::move(lost));
    REQUIRE(test);
    asked.test = *std::move(test);
    asked.answer(SampleOutcome::passed);
    asked.options.in_flight = 20;
    asked.run();
    CHECK(asked.asked == 0);
    CHECK(asked.test.report().reason == WatchReason::nothing_to_lose);
  }

  TEST_CASE("an exception of the draw ends all, and is thrown on") {
    Asked asked;
    asked.options.draw = [&](WantedSample) -> asio::awaitable<std::optional<EvalSample>> {
      if (++asked.asked == 2) {
        throw std::logic_error("broken");
      }
      runtime::Condition never(asked.io.get_executor());
      co_await never.wait();
      co_await never.wait(); // throws where it was cancelled
      co_return std::nullopt;
    };
    CHECK_THROWS_AS(asked.run(), std::logic_error);
    CHECK(asked.test.report().reason == WatchReason::unfinished);
  }
}
