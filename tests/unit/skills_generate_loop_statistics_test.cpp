#include "skills_generate_loop_world.h"

#include <doctest/doctest.h>

using namespace upskill;
using namespace upskill::generate;
using namespace upskill::generate::test;
using Kind = Step::Kind;

namespace {

constexpr std::uint64_t k_seeds = 400;

std::uint64_t mixed(std::uint64_t seed, std::uint64_t with) {
  return eval::Random(seed ^ (with * 0x9e3779b97f4a7c15U)).next();
}

// Uniform in 0..1 for each sample of each seed, whenever it is drawn.
double drawn(std::uint64_t seed, LoopArm arm, std::size_t student, std::size_t number, int run) {
  std::uint64_t state = mixed(seed, arm ? *arm + 2 : 1);
  state = mixed(state, student + 1);
  state = mixed(state, number + 1);
  return eval::Random(mixed(state, static_cast<std::uint64_t>(run))).fraction();
}

struct Shares {
  double saved = 0;
  double worse = 0;
  double looks = 0; // mean
};

// Students who pass with rates of `rate(arm, case)`, each seed a generation of its own.
template <class Rate>
Shares simulated(LoopOptions options, Rate rate, std::uint64_t seeds = k_seeds) {
  Shares shares;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    options.seed = seed;
    World world(options);
    world.outcome = [&](LoopArm arm, std::size_t student, std::size_t number, std::int64_t run) {
      return drawn(seed, arm, student, number, static_cast<int>(run)) < rate(arm, number)
                 ? SampleOutcome::passed
                 : SampleOutcome::failed;
    };
    const Ending& ending = world.run();
    REQUIRE(world.loop.ending());
    shares.saved += ending.kind == Ending::Kind::better ? 1 : 0;
    shares.worse += ending.kind == Ending::Kind::worse ? 1 : 0;
    shares.looks += static_cast<double>(world.loop.looks());
  }
  shares.saved /= static_cast<double>(seeds);
  shares.worse /= static_cast<double>(seeds);
  shares.looks /= static_cast<double>(seeds);
  MESSAGE("saved in " << 100 * shares.saved << " %, worse in " << 100 * shares.worse << " %, "
                      << shares.looks << " looks");
  return shares;
}

auto lifts(double from, double to) {
  return [=](LoopArm arm, std::size_t) { return arm ? to : from; };
}

// Rates of cases spread over 0.1 to 0.9, the same in both arms.
double spread(LoopArm, std::size_t number) {
  return .1 + .8 * static_cast<double>(number * 7 % 20) / 19;
}

} // namespace

TEST_SUITE("loop statistics") {
  TEST_CASE("a skill that helps is saved") {
    CHECK(simulated({}, lifts(.6, .95)).saved >= .95);
    CHECK(simulated({}, lifts(.4, .85)).saved >= .95);
    CHECK(simulated({.students = {"haiku", "kimi"}}, lifts(.6, .95)).saved >= .95);
  }

  TEST_CASE("a skill that changes nothing is not") {
    for (double rate : {.2, .6, .9}) {
      CAPTURE(rate);
      CHECK(simulated({}, lifts(rate, rate)).saved <= .04);
    }
    CHECK(simulated({}, spread).saved <= .04);
    CHECK(simulated({.students = {"haiku", "kimi"}}, lifts(.6, .6)).saved <= .04);
    CHECK(simulated({.candidates = 4}, lifts(.6, .6)).saved
          <= .04); // the best of four is no better
  }

  TEST_CASE("a skill that harms never is") {
    CHECK(simulated({}, lifts(.6, .3)).saved == 0);
    CHECK(simulated({.students = {"haiku", "kimi"}}, lifts(.6, .3)).saved == 0);
  }

  TEST_CASE("looking again and again at useless drafts saves none of them") {
    // No plateau ever, so that each attempt that looks better on train is looked at.
    for (double rate : {.2, .5, .8}) {
      CAPTURE(rate);
      const Shares shares = simulated({.attempts = 8, .plateau = -2}, lifts(rate, rate));
      CHECK(shares.looks > 1.5);
      CHECK(shares.saved <= .05);
    }
  }

  TEST_CASE("many looks at drafts that are all looked at") {
    // On train each draft is better than the one before, which says nothing about held-out cases.
    const std::size_t attempts = 8;
    int saved = 0;
    double looks = 0;
    for (std::uint64_t seed = 1; seed <= k_seeds; ++seed) {
      World world({.attempts = attempts, .plateau = -2, .seed = seed});
      world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t run) {
        const std::vector<std::size_t> train = world.loop.cases_of(CasePart::train);
        auto at = std::ranges::find(train, number);
        const bool passes = at == train.end()
                                ? drawn(seed, arm, 0, number, static_cast<int>(run)) < .5
                                : arm && static_cast<std::size_t>(at - train.begin()) <= *arm;
        return passes ? SampleOutcome::passed : SampleOutcome::failed;
      };
      saved += world.run().kind == Ending::Kind::better ? 1 : 0;
      looks += static_cast<double>(world.loop.looks());
    }
    MESSAGE("saved in " << saved << " of " << k_seeds << ", " << looks / k_seeds << " looks");
    CHECK(looks / k_seeds > attempts - 1);
    CHECK(saved <= .05 * static_cast<double>(k_seeds));
  }

  TEST_CASE("whatever comes back first, the end is the same one") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(seed);
      eval::Random choices(seed);
      LoopOptions options{.students = {"haiku", "kimi"}, .candidates = 3, .seed = seed};
      options.counterexamples = choices.below(2) == 0;
      const double from = choices.below(5) == 0 ? 1 : .6; // nobody needs a skill
      const double to = .5 + .1 * choices.below(5);
      const bool has_own = choices.below(2) == 0;
      const std::uint32_t few = choices.below(4) == 0 ? 13 : 0; // replies are short
      const std::size_t bad = choices.below(6);                 // a draft that cannot be read
      const bool refuses = choices.below(8) == 0;
      const bool is_away = choices.below(8) == 0; // a student, with the second candidate
      auto generated = [&](std::uint64_t order_seed) {
        World world(options);
        if (has_own) {
          world.loop.add_own_cases(test::cases_of({"x", "y", "z"}));
        }
        if (few > 0) {
          world.write_cases = [write = world.write_cases, few](Step step) {
            step.count = std::min<std::size_t>(step.count, few);
            return write(step);
          };
        }
        world.write_draft = [&](const Step&, std::size_t number) -> Result<DraftReply> {
          if (refuses) {
            return NotWarranted{"reason " + std::to_string(number)};
          }
          return number == bad ? Result<DraftReply>(fail(away("the teacher")))
                               : Result<DraftReply>(draft_of(number));
        };
        world.trouble = [&](const Step& step) {
          const bool fails = is_away && step.kind == Kind::evaluate && step.draft == 1;
          return fails ? std::optional(away("student " + std::to_string(step.student)))
                       : std::nullopt;
        };
        world.outcome =
            [&](LoopArm arm, std::size_t student, std::size_t number, std::int64_t run) {
              return drawn(seed, arm, student, number, static_cast<int>(run)) < (arm ? to : from)
                         ? SampleOutcome::passed
                         : SampleOutcome::failed;
            };
        eval::Random order(order_seed);
        world.run(order_seed == 0 ? nullptr : &order);
        REQUIRE(world.loop.ending());
        return world;
      };
      World first = generated(0);
      for (std::uint64_t order = 1; order <= 5; ++order) {
        World other = generated(order * 1000 + seed);
        const Ending& one = *first.loop.ending();
        const Ending& two = *other.loop.ending();
        CHECK(one.kind == two.kind);
        CHECK(one.why == two.why);
        CHECK(one.draft == two.draft);
        CHECK(one.error == two.error);
        if (!refuses) { // else missing cases are asked for, or no longer
          CHECK(first.loop.inputs() == other.loop.inputs());
        }
        CHECK(first.loop.looks() == other.loop.looks());
        REQUIRE(first.loop.attempts().size() == other.loop.attempts().size());
        for (std::size_t i = 0; i < first.loop.attempts().size(); ++i) {
          const Attempt& a = first.loop.attempts()[i];
          const Attempt& b = other.loop.attempts()[i];
          CHECK(a.draft == b.draft);
          CHECK(a.problem == b.problem);
          CHECK(a.from == b.from);
          CHECK(a.train == b.train);
          CHECK(a.train_baseline == b.train_baseline);
          CHECK(a.held_out == b.held_out);
          const std::vector<EvalModelReport> reports = *first.loop.held_out_report(i);
          const std::vector<EvalModelReport> others = *other.loop.held_out_report(i);
          REQUIRE(reports.size() == others.size());
          for (std::size_t student = 0; student < reports.size(); ++student) {
            CHECK(reports[student].verdict == others[student].verdict);
            CHECK(reports[student].reason == others[student].reason);
            CHECK(reports[student].p_value == others[student].p_value);
            CHECK(reports[student].lift->low == others[student].lift->low);
          }
        }
      }
    }
  }

  TEST_CASE("no draft learns of a held-out case") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      World world({.counterexamples = true, .seed = seed});
      world.outcome = [&](LoopArm arm, std::size_t, std::size_t number, std::int64_t run) {
        return drawn(seed, arm, 0, number, static_cast<int>(run)) < (arm ? .5 : .4)
                   ? SampleOutcome::passed
                   : SampleOutcome::failed;
      };
      world.run();
      for (std::size_t i = 0; i < world.loop.attempts().size(); ++i) {
        for (const Failure& failure : world.loop.failures_of(i)) {
          for (std::size_t number : world.loop.cases_of(CasePart::held_out)) {
            CHECK(failure.input != world.loop.suite().cases[number].input);
          }
        }
      }
      for (std::size_t number : world.loop.cases_of(CasePart::train)) {
        CHECK_FALSE(world.is(CasePart::held_out, number));
      }
    }
  }
}
