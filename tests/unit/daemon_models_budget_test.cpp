#include "daemon/models/budget.h"
#include "daemon/models/give_up.h"
#include "tests/unit/daemon_models_kept.h"

#include <algorithm>
#include <cmath>

using namespace models_test;
using namespace std::chrono_literals;

namespace {

// One dollar for a million of tokens, read or written.
Price a_dollar() {
  return [](const std::string&, const Usage& usage) {
    return std::optional(static_cast<double>(*usage.input + *usage.output) / 1e6);
  };
}

struct Fixture {
  asio::io_context io;
  TalkingModel talker{io.get_executor()};
  runtime::Clock::time_point now = {};
  Budget budget;
  BudgetedModel model;

  explicit Fixture(BudgetLimits limits, Price price = a_dollar())
      : budget(io.get_executor(), limits, [this] { return now; })
      , model(borrowed(talker), std::move(price), budget) {}

  std::vector<Result<Answer>> ask_times(std::size_t times) {
    return answers_of(io, model, std::vector<Request>(times, question("one")));
  }

  // All at once.
  std::vector<Result<Answer>> ask_together(std::size_t times, Model* other = nullptr) {
    Model* asked = other != nullptr ? other : &model;
    std::vector<Result<Answer>> answers;
    runtime::TaskGroup group(io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
    for (std::size_t i = 0; i < times; ++i) {
      group.start(ask(asked, question("one"), &answers));
    }
    io.restart();
    io.poll();
    talker.open();
    io.restart();
    io.run();
    return answers;
  }
};

std::size_t answered(const std::vector<Result<Answer>>& answers) {
  return static_cast<std::size_t>(
      std::ranges::count_if(answers, [](const auto& one) { return one.has_value(); }));
}

// Each call costs what it is told to.
class Sequence : public Model {
public:
  explicit Sequence(std::vector<double> costs)
      : m_costs(std::move(costs)) {}

  asio::awaitable<Result<Answer>> answer(Request) override {
    Answer answer{.usage = {.input = 1, .output = 1}, .cost = m_costs.at(m_next++)};
    auto executor = co_await asio::this_coro::executor;
    co_await asio::post(executor, asio::use_awaitable); // others come to be asked meanwhile
    co_return answer;
  }

private:
  std::vector<double> m_costs;
  std::size_t m_next = 0;
};

} // namespace

TEST_SUITE("Budget") {
  TEST_CASE("without limits everything is asked at once, and added up") {
    Fixture fixture({});
    fixture.talker.is_closed = true;
    auto answers = fixture.ask_together(30);
    CHECK(answered(answers) == 30);
    CHECK(fixture.talker.most_under_way == 30);
    CHECK(fixture.budget.totals().calls == 30);
    CHECK(*fixture.budget.totals().cost == doctest::Approx(0.3));
    CHECK(fixture.budget.totals().tokens == 30'000);
    CHECK(fixture.budget.stopped().empty());
  }

  TEST_CASE("dollars: as many calls as they are for, and then none") {
    Fixture fixture({.dollars = 0.5});
    fixture.talker.otherwise->cost = 0.015;
    auto answers = fixture.ask_times(40);
    CHECK(answered(answers) == 33); // 0.495
    CHECK(fixture.talker.asked.size() == 33);
    CHECK(answers[33].error().code == ErrorCode::refused);
    CHECK(answers[33].error().message
          == "the budget of $0.50 has no room for another call after $0.49 for 33 calls");
    CHECK(answers[33].error().hint.find("`--budget`") != std::string::npos);
    CHECK(fixture.budget.stopped() == answers[33].error().message);
  }

  TEST_CASE("exactly the budget may be spent") {
    Fixture fixture({.dollars = 0.03});
    CHECK(answered(fixture.ask_times(5)) == 3);
  }

  TEST_CASE("calls at the same time spend no more than one after the other") {
    for (double cost : {0.01, 0.004, 0.0001}) {
      CAPTURE(cost);
      Fixture fixture({.dollars = 0.1});
      fixture.talker.otherwise->cost = cost;
      fixture.talker.otherwise->usage = {.input = 10, .output = 10};
      auto answers = fixture.ask_together(2000);
      CHECK(answered(answers) == std::min<std::size_t>(2000, std::lround(0.1 / cost)));
      CHECK(*fixture.budget.totals().cost < 0.1 + 1e-9);
    }
  }

  TEST_CASE("whatever calls come to, the limit is passed by no more than one of them") {
    std::uint64_t state = 7;
    for (int round = 0; round < 50; ++round) {
      std::vector<double> costs;
      for (int i = 0; i < 200; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        costs.push_back(0.008 * static_cast<double>(state >> 40) / 0x1p24); // the most is 0.0082
      }
      Fixture fixture({.dollars = 0.1});
      BudgetedModel model(std::make_unique<Sequence>(costs), a_dollar(), fixture.budget);
      fixture.ask_together(200, &model);
      CHECK(*fixture.budget.totals().cost > 0.1 - 0.0082);
      CHECK(*fixture.budget.totals().cost < 0.1 + 0.0082);
    }
  }

  TEST_CASE("a model that costs more than can be is asked one at a time") {
    Fixture fixture({.dollars = 0.055}, price_of_scripts());
    fixture.talker.is_closed = true;
    auto answers = fixture.ask_together(20);
    CHECK(answered(answers) == 5);
    CHECK(fixture.talker.most_under_way == 1);
  }

  TEST_CASE("what costs nothing is never refused for money") {
    Fixture fixture({.dollars = 0}, price_of_scripts());
    fixture.talker.otherwise->cost = 0;
    CHECK(answered(fixture.ask_together(20)) == 20);
    Fixture dear({.dollars = 0});
    CHECK(answered(dear.ask_times(1)) == 0);
    CHECK(dear.budget.stopped()
          == "the budget of $0.00 has no room for another call after $0.00 for 0 calls");
  }

  TEST_CASE("a budget of money needs a price, and one of tokens does not") {
    Price nobody_knows = [](const std::string&, const Usage&) { return std::nullopt; };
    Fixture fixture({.dollars = 5}, nobody_knows);
    Result<Answer> answer = fixture.ask_times(1).at(0);
    CHECK(answer.error().code == ErrorCode::refused);
    CHECK(answer.error().message
          == "nobody knows the price of `talker`, so no budget of money can be kept");
    CHECK(answer.error().hint == "limit it by `--token-budget`");
    CHECK(fixture.talker.asked.empty());
    Fixture tokens({.tokens = 2500}, nobody_knows);
    tokens.talker.otherwise->cost = std::nullopt;
    auto answers = tokens.ask_times(4);
    CHECK(answered(answers) == 2);
    CHECK(answers[2].error().message
          == "the budget of 2500 tokens has no room for another call after 2000 for 2 calls");
    CHECK_FALSE(tokens.budget.totals().cost);
  }

  TEST_CASE("prices: by the table, nothing on this machine") {
    Environment none = [](const std::string&) { return std::nullopt; };
    Usage million{.input = 1'000'000, .output = 0};
    CHECK(*price_by("", none)("sonnet", million) == doctest::Approx(2));
    CHECK(*price_by("http://127.0.0.1:1/v1", none)("x", million) == 0);
    CHECK_FALSE(price_by("https://example.com/v1", none)("x", million));
  }

  TEST_CASE("an answer that does not tell its cost counts as the most it can be") {
    Fixture fixture({.dollars = 0.05});
    fixture.talker.otherwise->cost = std::nullopt;
    // 8192 tokens and some for each.
    CHECK(answered(fixture.ask_times(20)) == 6);
  }

  TEST_CASE("time: nothing is asked after it") {
    Fixture fixture({.time = 60s});
    CHECK(answered(fixture.ask_times(2)) == 2);
    fixture.now += 59s;
    CHECK(answered(fixture.ask_times(1)) == 1);
    fixture.now += 1s;
    CHECK(fixture.ask_times(1)[0].error().message
          == "the 60 s that it may take are over, after 3 calls");
    CHECK_FALSE(fixture.budget.stopped().empty());
  }

  TEST_CASE("errors and cached answers cost nothing") {
    Fixture fixture({.dollars = 0.01});
    Answer cached = *fixture.talker.otherwise;
    cached.cached = true;
    fixture.talker.says = {fail(ErrorCode::busy, "later"), cached, cached};
    auto answers = fixture.ask_times(5);
    CHECK(answered(answers) == 3); // two cached, and the one there was money for
    CHECK(fixture.budget.totals().calls == 2);
    CHECK(*fixture.budget.totals().cost == 0.01);
  }

  TEST_CASE("who is cancelled gives its place back") {
    Fixture fixture({.dollars = 0.02});
    fixture.talker.is_closed = true;
    std::vector<Result<Answer>> answers;
    runtime::TaskGroup group(fixture.io.get_executor(), [](std::exception_ptr) { FAIL("threw"); });
    runtime::TaskId first = group.start(ask(&fixture.model, question("one"), &answers));
    group.start(ask(&fixture.model, question("two"), &answers));
    fixture.io.poll();
    CHECK(fixture.talker.asked.size() == 1);
    group.cancel(first);
    fixture.io.restart();
    fixture.io.poll();
    fixture.talker.open();
    fixture.io.restart();
    fixture.io.run();
    CHECK(answered(answers) == 1);
    CHECK(fixture.talker.asked.size() == 2);
  }
}

TEST_SUITE("GiveUpModel") {
  TEST_CASE("no key, no such model, no quota: asked once") {
    for (ErrorCode code : {ErrorCode::permission, ErrorCode::not_found, ErrorCode::refused}) {
      asio::io_context io;
      TalkingModel talker(io.get_executor());
      talker.says = {fail(code, "no", "pay")};
      GiveUpModel model(borrowed(talker));
      Request other = question("one");
      other.model = "other";
      auto answers = answers_of(io, model, {question("one"), question("two"), other});
      CHECK(answers[0].error() == Error{code, "no", "pay"});
      CHECK(answers[1].error() == answers[0].error());
      CHECK(answers[2].has_value()); // another model
      CHECK(talker.asked.size() == 2);
    }
  }

  TEST_CASE("what passes is asked again") {
    asio::io_context io;
    TalkingModel talker(io.get_executor());
    talker.says = {fail(ErrorCode::busy, "no"), fail(ErrorCode::unavailable, "no")};
    GiveUpModel model(borrowed(talker));
    CHECK(answers_of(io, model, std::vector<Request>(3, question("one")))[2].has_value());
  }

  TEST_CASE("a model that has answered is given up after three in a row") {
    asio::io_context io;
    TalkingModel talker(io.get_executor());
    Result<Answer> no = fail(ErrorCode::permission, "no");
    talker.says = {Answer{}, no, no, Answer{}, no, no, no};
    GiveUpModel model(borrowed(talker));
    auto answers = answers_of(io, model, std::vector<Request>(9, question("one")));
    CHECK(answered(answers) == 2);
    CHECK(talker.asked.size() == 7);
  }
}
