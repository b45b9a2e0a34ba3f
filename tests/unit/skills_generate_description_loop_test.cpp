#include "skills/eval/random.h"
#include "skills/generate/description_loop.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <set>

using namespace upskill;
using namespace upskill::generate;
using doctest::Approx;
using Kind = DescriptionStep::Kind;

namespace {

// `positives` queries that should pick the skill, and as many near misses.
eval::CaseSuite queries(std::size_t positives, std::size_t negatives) {
  eval::CaseSuite suite;
  for (std::size_t i = 0; i < positives + negatives; ++i) {
    eval::Case& one = suite.cases.emplace_back();
    one.id = std::to_string(i);
    one.input = "query " + std::to_string(i);
    one.should_trigger = i < positives;
  }
  return suite;
}

// Answers a loop: descriptions are "d0", "d1" and so on, and picked as `picks` says.
struct Trial {
  explicit Trial(DescriptionOptions options = {}, const eval::CaseSuite& suite = queries(10, 10))
      : runs(options.runs)
      , loop(Draft{.name = "x", .description = "d0", .body = "Do.\n"}, suite, options) {}

  const DescriptionEnding& run(eval::Random* order = nullptr) {
    while (!loop.ending()) {
      take();
      REQUIRE_FALSE(waiting.empty());
      answer(order ? order->below(static_cast<std::uint32_t>(waiting.size())) : 0);
    }
    return *loop.ending();
  }

  void take() {
    for (DescriptionStep& step : loop.take_steps()) {
      given.push_back(step);
      waiting.push_back(std::move(step));
    }
  }

  void answer(std::size_t at) {
    const DescriptionStep step = waiting[at];
    waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(at));
    if (step.kind == Kind::improve) {
      loop.improved(step.id, improve(step.description));
      return;
    }
    if (auto error = trouble(step)) {
      loop.evaluated(step.id, fail(*error));
      return;
    }
    std::vector<EvalSample> samples;
    for (std::size_t query : step.queries) {
      for (std::uint32_t run = 1; run <= runs; ++run) {
        EvalSample& sample = samples.emplace_back();
        sample.case_id = loop.suite().cases[query].id;
        sample.run = run;
        sample.outcome = SampleOutcome::passed;
        sample.skill_used = picks(step.description, query, run, step.is_held_out);
      }
    }
    loop.evaluated(step.id, std::move(samples));
  }

  bool wanted(std::size_t query) const { return *loop.suite().cases[query].should_trigger; }

  std::size_t improvements() const {
    return static_cast<std::size_t>(
        std::ranges::count(given, Kind::improve, &DescriptionStep::kind));
  }

  std::function<bool(std::size_t, std::size_t, std::uint32_t, bool)> picks =
      [](std::size_t, std::size_t, std::uint32_t, bool) { return false; };
  std::function<Result<std::string>(std::size_t)> improve = [](std::size_t from) {
    return Result<std::string>("d" + std::to_string(from + 1));
  };
  std::function<std::optional<Error>(const DescriptionStep&)> trouble = [](const DescriptionStep&) {
    return std::optional<Error>();
  };
  std::uint32_t runs;
  DescriptionLoop loop;
  std::vector<DescriptionStep> given = {};
  std::vector<DescriptionStep> waiting = {};
};

} // namespace

TEST_SUITE("description_loop") {
  TEST_CASE("of either kind of query two fifths are held out, and none is in both parts") {
    std::set<std::vector<std::size_t>> splits;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      Trial trial({.seed = seed}, queries(10, 5));
      trial.take();
      REQUIRE(trial.given.size() == 2); // both at once
      CHECK_FALSE(trial.given[0].is_held_out);
      CHECK(trial.given[1].is_held_out);
      std::vector<std::size_t> held_out = trial.given[1].queries;
      CHECK(held_out.size() == 6);
      CHECK(std::ranges::count_if(held_out, [](std::size_t query) { return query < 10; }) == 4);
      CHECK(trial.given[0].queries.size() == 9);
      for (std::size_t query : trial.given[0].queries) {
        CHECK(std::ranges::find(held_out, query) == held_out.end());
      }
      splits.insert(held_out);
    }
    CHECK(splits.size() > 10);
    Trial trial;
    CHECK(trial.loop.train_queries() == 12);
    CHECK(trial.loop.held_out_queries() == 8);
    CHECK(trial.loop.planned_samples() == 60);
  }

  TEST_CASE("what is no query, or repeats one, is left out, and too few of a kind decide nothing") {
    eval::CaseSuite suite = queries(2, 2);
    suite.cases.push_back({.id = "case", .input = "no query"});
    suite.cases.push_back({.id = "again", .input = " QUERY 1", .should_trigger = true});
    Trial trial({}, suite);
    CHECK(trial.loop.suite().cases.size() == 4);
    CHECK_FALSE(trial.loop.ending());
    Trial few({}, queries(5, 1));
    REQUIRE(few.loop.ending());
    CHECK(few.loop.ending()->description == 0);
    CHECK(few.loop.ending()->why
          == "it takes 2 queries that should not pick the skill, and there is one");
    CHECK(few.loop.take_steps().empty());
    CHECK(few.loop.draft(0).description == "d0");
  }

  TEST_CASE("a description without a train query that goes wrong is the last") {
    Trial trial;
    trial.picks = [&](std::size_t description, std::size_t query, std::uint32_t, bool) {
      return description == 1 && trial.wanted(query);
    };
    const DescriptionEnding& ending = trial.run();
    CHECK(ending.description == 1);
    CHECK(ending.why == "no train query goes wrong any more");
    CHECK(trial.improvements() == 1);
    CHECK(trial.loop.draft(1).description == "d1");
    CHECK(trial.loop.draft(1).name == "x");
    const EvalTrigger before = *trial.loop.trigger(0);
    const EvalTrigger after = *trial.loop.trigger(1);
    CHECK(before.true_positives == 0);
    CHECK(before.false_negatives == 12); // 4 held-out queries of 3 runs
    CHECK(after.true_positives == 12);
    CHECK(after.false_positives == 0);
    CHECK(after.true_negatives == 12);
  }

  TEST_CASE("so many descriptions are tried, the first included") {
    Trial trial({.iterations = 3});
    CHECK(trial.run().why == "3 descriptions were tried");
    CHECK(trial.improvements() == 2);
    CHECK(trial.loop.ending()->description == 0); // of equal ones the earlier
    Trial one({.iterations = 1});
    one.run();
    CHECK(one.improvements() == 0);
  }

  TEST_CASE("misfires are train queries that go wrong in half of their samples") {
    Trial trial({.iterations = 1, .runs = 2});
    trial.picks = [&](std::size_t, std::size_t query, std::uint32_t run, bool) {
      return query == 0 || query == 10 || ((query == 1 || query == 11) && run == 1);
    };
    trial.run();
    const std::vector<std::size_t> train = trial.given[0].queries;
    std::set<std::string> expected;
    for (std::size_t query : train) {
      // Picked as it should be in half of its samples is right; wrongly so in half is wrong.
      if (query == 10 || query == 11 || (query > 1 && query < 10)) {
        expected.insert(trial.loop.suite().cases[query].input);
      }
    }
    std::set<std::string> found;
    for (const Misfire& misfire : trial.loop.misfires_of(0)) {
      found.insert(misfire.query);
      CHECK(misfire.should_trigger == (misfire.picked == 0));
    }
    CHECK(found == expected);
  }

  TEST_CASE("the one is chosen that is best on held-out queries, whatever train says") {
    Trial trial({.iterations = 3});
    trial.picks = [&](std::size_t description, std::size_t query, std::uint32_t, bool held_out) {
      // The second is right on held-out queries, the third on train ones, but for one of them.
      const bool is_right = held_out ? description == 1 : description == 2 && query != 0;
      return is_right && trial.wanted(query);
    };
    CHECK(trial.run().description == 1);
    CHECK(trial.loop.descriptions().size() == 3);
  }

  TEST_CASE("one that always fires is no better than one that never does") {
    Trial trial({.iterations = 2});
    trial.picks = [](std::size_t description, std::size_t, std::uint32_t, bool) {
      return description == 1;
    };
    CHECK(trial.run().description == 0);
    // Though few queries should leave the skill alone.
    Trial uneven({.iterations = 2}, queries(20, 3));
    uneven.picks = trial.picks;
    CHECK(uneven.run().description == 0);
  }

  TEST_CASE("the next description is written while the last is still on held-out queries") {
    Trial trial;
    trial.take();
    trial.answer(0); // train
    trial.take();
    REQUIRE(trial.waiting.size() == 2);
    CHECK(trial.waiting[0].is_held_out);
    CHECK(trial.waiting[1].kind == Kind::improve);
    CHECK(trial.waiting[1].description == 0);
  }

  TEST_CASE("who writes none, or one that was there, ends it") {
    Trial failed;
    failed.improve = [](std::size_t) {
      return Result<std::string>(fail(ErrorCode::unavailable, "the teacher is away"));
    };
    CHECK(failed.run().why == "no better description was written: the teacher is away");
    CHECK(failed.loop.ending()->description == 0);
    CHECK_FALSE(failed.loop.ending()->error);
    Trial same;
    same.improve = [](std::size_t) { return Result<std::string>("d0"); };
    CHECK(same.run().why == "no other description was written");
    CHECK(same.loop.descriptions().size() == 1);
  }

  TEST_CASE("errors are no misfires, and where nothing is known nothing is chosen") {
    Trial away;
    away.trouble = [](const DescriptionStep&) {
      return std::optional(Error{ErrorCode::unavailable, "the student is away"});
    };
    CHECK(away.run().error->message == "the student is away");
    CHECK(away.loop.ending()->description == 0);
    CHECK_FALSE(away.loop.trigger(0));
    CHECK(away.improvements() == 0);
    // Only the second description could not be asked: the first stays.
    Trial later;
    later.trouble = [](const DescriptionStep& step) {
      return step.description == 1
                 ? std::optional(Error{ErrorCode::unavailable, "the student is away"})
                 : std::nullopt;
    };
    CHECK(later.run().description == 0);
    CHECK_FALSE(later.loop.ending()->error);
    CHECK(later.loop.ending()->why == "nothing is known of the last description");
  }

  TEST_CASE("samples that ended in an error tell nothing but a pick") {
    Trial trial({.iterations = 1, .runs = 1});
    trial.take();
    std::vector<EvalSample> samples;
    for (std::size_t query : trial.waiting[0].queries) {
      EvalSample& sample = samples.emplace_back();
      sample.case_id = trial.loop.suite().cases[query].id;
      sample.outcome = SampleOutcome::error;
      sample.error = "too long";
      sample.skill_used = !trial.wanted(query);
    }
    const auto wrongly_picked = std::ranges::count_if(
        trial.waiting[0].queries, [&](std::size_t query) { return !trial.wanted(query); });
    trial.loop.evaluated(trial.waiting[0].id, std::move(samples));
    CHECK(trial.loop.misfires_of(0).size() == static_cast<std::size_t>(wrongly_picked));
    trial.waiting.erase(trial.waiting.begin());
    trial.answer(0);
    REQUIRE(trial.loop.ending());
    CHECK(trial.loop.ending()->why == "no sample tells whether the skill was picked: too long");
  }

  TEST_CASE("stopped, it has the best so far") {
    Trial trial;
    trial.picks = [&](std::size_t description, std::size_t query, std::uint32_t, bool) {
      return description == 1 && trial.wanted(query) && query != 0 && query != 5;
    };
    while (trial.loop.descriptions().size() < 3) {
      trial.take();
      trial.answer(0);
    }
    trial.loop.stop("the budget is spent");
    while (!trial.waiting.empty()) {
      CHECK_FALSE(trial.loop.ending());
      trial.answer(0);
    }
    REQUIRE(trial.loop.ending());
    CHECK(trial.loop.ending()->why == "the budget is spent");
    CHECK(trial.loop.ending()->description == 1);
    Trial at_once;
    at_once.loop.stop("cancelled");
    CHECK(at_once.loop.ending()->description == 0);
    CHECK(at_once.loop.take_steps().empty());
  }

  TEST_CASE("stopped among the held-out queries of one, it is not better by a few of them") {
    Trial trial;
    trial.picks = [&](std::size_t description, std::size_t query, std::uint32_t, bool) {
      return description == 1 && trial.wanted(query);
    };
    while (trial.loop.descriptions().size() < 2) {
      trial.take();
      trial.answer(0);
    }
    trial.take();
    trial.loop.stop("the budget is spent");
    auto held_out = std::ranges::find(trial.waiting, true, &DescriptionStep::is_held_out);
    REQUIRE(held_out != trial.waiting.end());
    REQUIRE(held_out->description == 1);
    std::vector<EvalSample> samples; // of one query of either kind, and right
    for (std::size_t query : {held_out->queries.front(), held_out->queries.back()}) {
      EvalSample& sample = samples.emplace_back();
      sample.case_id = trial.loop.suite().cases[query].id;
      sample.outcome = SampleOutcome::passed;
      sample.skill_used = trial.wanted(query);
    }
    REQUIRE(samples[0].skill_used != samples[1].skill_used);
    trial.loop.evaluated(held_out->id, std::move(samples));
    trial.waiting.erase(held_out);
    while (!trial.waiting.empty()) {
      trial.answer(0);
    }
    REQUIRE(trial.loop.ending());
    CHECK(trial.loop.ending()->description == 0);
  }

  TEST_CASE("whatever comes back first, the same is chosen") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      auto chosen = [&](std::uint64_t order_seed) {
        Trial trial({.seed = seed});
        trial.picks = [&](std::size_t description, std::size_t query, std::uint32_t run, bool) {
          eval::Random random(seed * 1'000'000 + description * 10'000 + query * 10 + run);
          return random.fraction() < (trial.wanted(query) ? .7 : .3);
        };
        eval::Random order(order_seed);
        const DescriptionEnding ending = trial.run(order_seed == 0 ? nullptr : &order);
        return std::pair(ending.description, ending.why);
      };
      CHECK(chosen(0) == chosen(seed));
      CHECK(chosen(0) == chosen(seed + 100));
    }
  }
}
