#include "skills/eval/random.h"
#include "skills/regression/estimate.h"
#include "skills/regression/test.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

using namespace upskill;
using namespace upskill::regression;
using doctest::Approx;

namespace {

using Answers = std::map<WantedSample, std::vector<SampleOutcome>>; // what is said when, by sample

TestOptions options_of(std::size_t cases, std::size_t runs, std::size_t failures = 0) {
  TestOptions options;
  options.accepted.assign(cases, std::vector<bool>(runs, true));
  for (std::size_t i = 0; i < failures; ++i) {
    options.accepted[i % cases][i / cases] = false;
  }
  return options;
}

// What a student with this rate says, which a sample's own numbers decide: whoever asks when.
SampleOutcome answer(const WantedSample& sample, double rate, std::uint64_t seed) {
  eval::Random random(seed * 1'000'003 + sample.case_number * 1'009 + sample.run);
  return random.fraction() < rate ? SampleOutcome::passed : SampleOutcome::failed;
}

// One after the other.
TestReport drive(Test test, double rate, std::uint64_t seed) {
  while (const auto sample = test.next()) {
    REQUIRE(test.add(*sample, answer(*sample, rate, seed)));
  }
  REQUIRE(test.is_over());
  return test.report();
}

bool is_same(const TestReport& one, const TestReport& other) {
  return one.verdict == other.verdict && one.reason == other.reason && one.samples == other.samples
         && one.rate == other.rate && one.lost == other.lost;
}

} // namespace

TEST_SUITE("test of a version") {
  TEST_CASE("a version that fails everywhere is regressed after a few samples") {
    const TestReport report = drive(*Test::open(options_of(5, 3)), 0, 1);
    CHECK(report.verdict == WatchVerdict::regressed);
    CHECK(report.reason == WatchReason::dropped);
    CHECK(report.samples <= 5);
    CHECK(report.rate == 0.0);
    CHECK(report.accepted_rate == 1);
    CHECK(report.accepted.high == 1);
    CHECK(report.interval.low == 0);
    CHECK(report.why.find("100% -> 0%, 0 of") != std::string::npos);
  }

  TEST_CASE("a version that passes everywhere is fine") {
    const TestReport report = drive(*Test::open(options_of(20, 3)), 1, 1);
    CHECK(report.verdict == WatchVerdict::ok);
    CHECK(report.reason == WatchReason::held);
    CHECK(report.samples >= 10); // ln 19 / ln(1/.8) = 13.2 were its rate known to be 1
    CHECK(report.samples <= 20);
  }

  TEST_CASE("every case is asked before one is asked again, in an order by the seed") {
    TestOptions options = options_of(10, 3, 5);
    options.ahead = 1'000;
    Test test = *Test::open(options);
    std::vector<std::size_t> order;
    for (int i = 0; i < 10; ++i) {
      const auto sample = test.next();
      REQUIRE(sample);
      CHECK(sample->run == 1);
      order.push_back(sample->case_number);
    }
    CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == 10);
    CHECK(test.next()->run == 2);
    CHECK(Test::open(options)->next()->case_number == order[0]);
    std::set<std::size_t> first;
    for (options.seed = 1; options.seed < 20; ++options.seed) {
      first.insert(Test::open(options)->next()->case_number);
    }
    CHECK(first.size() > 3);
  }

  TEST_CASE("whatever the order in which samples come in, it decides the same") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      const double rate = seed % 2 == 0 ? .9 : .7;
      TestOptions options = options_of(12, 3, 3);
      options.seed = seed;
      const TestReport straight = drive(*Test::open(options), rate, seed);
      Test test = *Test::open(options);
      eval::Random random(seed);
      std::vector<WantedSample> flying;
      for (;;) {
        while (flying.size() < 1 + seed % 17) {
          const auto sample = test.next();
          if (!sample) {
            break;
          }
          flying.push_back(*sample);
        }
        if (flying.empty()) {
          break;
        }
        const std::size_t which = random.below(static_cast<std::uint32_t>(flying.size()));
        REQUIRE(test.add(flying[which], answer(flying[which], rate, seed)));
        flying.erase(flying.begin() + static_cast<std::ptrdiff_t>(which));
      }
      CHECK(test.is_over());
      CHECK(is_same(test.report(), straight));
    }
  }

  TEST_CASE("rebuilt from what is known it goes on the same, wherever it was stopped") {
    TestOptions options = options_of(6, 3, 2);
    const double rate = .8;
    const TestReport straight = drive(*Test::open(options), rate, 5);
    for (std::size_t stopped = 0; stopped <= straight.samples; ++stopped) {
      CAPTURE(stopped);
      Test before = *Test::open(options);
      std::vector<WantedSample> known;
      while (known.size() < stopped) {
        const auto sample = before.next();
        REQUIRE(sample);
        known.push_back(*sample);
        REQUIRE(before.add(*sample, answer(*sample, rate, 5)));
      }
      Test after = *Test::open(options);
      for (auto sample = known.rbegin(); sample != known.rend(); ++sample) { // in any order
        REQUIRE(after.add(*sample, answer(*sample, rate, 5)));
      }
      CHECK(is_same(after.report(), before.report()));
      std::vector<WantedSample> rest;
      while (const auto sample = after.next()) {
        CHECK(std::ranges::find(known, *sample) == known.end()); // nothing is asked twice
        REQUIRE(after.add(*sample, answer(*sample, rate, 5)));
      }
      CHECK(is_same(after.report(), straight));
    }
  }

  TEST_CASE("no more is given out than lies ahead of the first that is missing") {
    TestOptions options = options_of(20, 3);
    options.ahead = 4;
    Test test = *Test::open(options);
    std::vector<WantedSample> out;
    while (const auto sample = test.next()) {
      out.push_back(*sample);
    }
    REQUIRE(out.size() == 4);
    REQUIRE(test.add(out[2], SampleOutcome::passed));
    CHECK_FALSE(test.next());
    REQUIRE(test.add(out[0], SampleOutcome::passed));
    CHECK(test.next());
    CHECK_FALSE(test.next());
  }

  TEST_CASE("an error is asked again, then left out, and is no failure") {
    TestOptions options = options_of(20, 3);
    Test test = *Test::open(options);
    const WantedSample first = *test.next();
    for (int i = 0; i < 2; ++i) {
      REQUIRE(test.add(first, SampleOutcome::error));
      CHECK(test.next() == first);
    }
    REQUIRE(test.add(first, SampleOutcome::error));
    CHECK(test.next() != first);
    CHECK(test.report().errors == 3);
    CHECK(test.report().lost == 1);
    CHECK(test.report().samples == 0);

    Test other = *Test::open(options);
    const WantedSample again = *other.next();
    REQUIRE(other.add(again, SampleOutcome::error));
    REQUIRE(other.next() == again);
    REQUIRE(other.add(again, SampleOutcome::passed));
    CHECK(other.report().samples == 1);
    CHECK(other.report().lost == 0);
    CHECK(other.report().rate == 1.0);
  }

  TEST_CASE("a model that has gone away ends it undecided, after a few samples") {
    TestOptions options = options_of(20, 3);
    Test test = *Test::open(options);
    std::size_t asked = 0;
    while (const auto sample = test.next()) {
      ++asked;
      REQUIRE(test.add(*sample, SampleOutcome::error));
    }
    CHECK(asked == k_most_lost_in_a_row * 3);
    CHECK(test.report().verdict == WatchVerdict::undecided);
    CHECK(test.report().reason == WatchReason::errors);
    CHECK_FALSE(test.report().rate);
  }

  TEST_CASE("errors here and there change nothing but the number of askings") {
    TestOptions options = options_of(12, 3, 3);
    const TestReport straight = drive(*Test::open(options), .7, 3);
    Test test = *Test::open(options);
    std::set<WantedSample> failed_once;
    while (const auto sample = test.next()) {
      const bool is_first = failed_once.insert(*sample).second;
      const bool fails = is_first && (sample->case_number + sample->run) % 3 == 0;
      REQUIRE(test.add(*sample, fails ? SampleOutcome::error : answer(*sample, .7, 3)));
    }
    CHECK(is_same(test.report(), straight));
    CHECK(test.report().errors > 0);
  }

  TEST_CASE("quarantined and new cases are asked once, told, and decide nothing") {
    TestOptions options = options_of(10, 6);
    options.accepted[4] = {true, false, true, false, true, false};
    options.accepted.push_back({});
    Test test = *Test::open(options);
    std::size_t told_only = 0;
    while (const auto sample = test.next()) {
      const bool decides = sample->case_number != 4 && sample->case_number != 10;
      if (!decides) {
        CHECK(sample->run == 1);
        ++told_only;
      }
      REQUIRE(test.add(*sample, decides ? SampleOutcome::passed : SampleOutcome::failed));
    }
    const TestReport report = test.report();
    CHECK(told_only == 2);
    CHECK(report.verdict == WatchVerdict::ok);
    CHECK(report.rate == 1.0);
    CHECK(report.accepted_rate == 1);
    CHECK(report.cases[4].gate == CaseGate::quarantined);
    CHECK(report.cases[4].accepted_passes == 3);
    CHECK(report.cases[4].accepted_runs == 6);
    CHECK(report.cases[4].passes == 0);
    CHECK(report.cases[4].runs == 1);
    CHECK(report.cases[10].gate == CaseGate::unknown);
    CHECK(report.cases[10].runs == 1);
    std::size_t samples = 0;
    for (const CaseStanding& one : report.cases) {
      samples += one.gate == CaseGate::gated ? one.runs : 0;
    }
    CHECK(samples == report.samples);
  }

  TEST_CASE("where stable cases fail in place of flaky ones, the whole decides") {
    TestOptions options = options_of(10, 6);
    options.accepted[4] = options.accepted[7] = {true, false, true, false, true, false};
    for (const bool is_whole_worse : {false, true}) {
      CAPTURE(is_whole_worse);
      // Two stable cases fail half of the time; the flaky ones always pass, or stay as they were.
      const auto says = [&](const WantedSample& sample) {
        const bool was_flaky = sample.case_number == 4 || sample.case_number == 7;
        const bool fails =
            was_flaky ? is_whole_worse && sample.run % 2 == 0
                      : sample.case_number < (is_whole_worse ? 7U : 2U) && sample.run % 2 == 0;
        return fails ? SampleOutcome::failed : SampleOutcome::passed;
      };
      options.alpha = .2; // so that two of eight are enough for the gated ones
      Test test = *Test::open(options);
      std::vector<WantedSample> asked;
      while (const auto sample = test.next()) {
        asked.push_back(*sample);
        REQUIRE(test.add(*sample, says(*sample)));
      }
      const TestReport report = test.report();
      REQUIRE(report.whole);
      CHECK(report.accepted_whole == Approx(.9));
      CHECK(report.reason == (is_whole_worse ? WatchReason::dropped : WatchReason::moved));
      CHECK(std::set<WantedSample>(asked.begin(), asked.end()).size() == asked.size());
      CHECK(report.cases[4].runs > 1);
      // Rebuilt it ends at once, and the same.
      Test again = *Test::open(options);
      for (auto sample = asked.rbegin(); sample != asked.rend(); ++sample) {
        REQUIRE(again.add(*sample, says(*sample)));
      }
      CHECK(is_same(again.report(), report));
      CHECK(again.report().whole == report.whole);
    }
  }

  TEST_CASE("it ends with as many samples as may be drawn, and no more than tell something") {
    TestOptions options = options_of(5, 3, 3);
    options.runs = 1;
    TestReport report = drive(*Test::open(options), .7, 1);
    CHECK(report.most == 5);
    CHECK(report.samples <= 5);
    CHECK(report.reason == WatchReason::out_of_runs);
    CHECK(report.verdict == WatchVerdict::undecided);
    options.runs = 1'000;
    CHECK(Test::open(options)->report().most == 90);
  }

  TEST_CASE("a driver's end is undecided, and stays") {
    Test test = *Test::open(options_of(5, 3));
    test.stop(WatchReason::dropped); // no verdict is invented
    test.stop(WatchReason::held);
    CHECK_FALSE(test.is_over());
    test.stop(WatchReason::out_of_budget);
    CHECK(test.is_over());
    CHECK_FALSE(test.next());
    test.stop(WatchReason::waiting);
    CHECK(test.report().reason == WatchReason::out_of_budget);
    CHECK(test.report().verdict == WatchVerdict::undecided);
  }

  TEST_CASE("nothing to hold against is undecided at once") {
    CHECK(Test::open({})->report().reason == WatchReason::no_cases);
    TestOptions options;
    options.accepted.resize(3);
    CHECK(Test::open(options)->report().reason == WatchReason::nothing_accepted);
    options = options_of(10, 3, 24); // 20 %
    Test test = *Test::open(options);
    CHECK(test.is_over());
    CHECK_FALSE(test.next());
    CHECK(test.report().reason == WatchReason::nothing_to_lose);
    CHECK(test.report().verdict == WatchVerdict::undecided);
  }

  TEST_CASE("what cannot be is refused") {
    TestOptions options = options_of(3, 3);
    Test test = *Test::open(options);
    CHECK_FALSE(test.add({3, 1}, SampleOutcome::passed));
    CHECK_FALSE(test.add({0, 0}, SampleOutcome::passed));
    CHECK_FALSE(test.add({0, 1'000}, SampleOutcome::passed));
    const WantedSample sample = *test.next();
    REQUIRE(test.add(sample, SampleOutcome::failed));
    REQUIRE(test.add(sample, SampleOutcome::passed)); // the first one stays
    CHECK(test.report().rate == 0.0);
    CHECK(test.report().samples == 1);
    options.runs = 0;
    CHECK_FALSE(Test::open(options));
    options.runs = k_most_runs + 1;
    CHECK_FALSE(Test::open(options));
    options = options_of(3, 3);
    options.ahead = 0;
    CHECK_FALSE(Test::open(options));
    options = options_of(3, 3);
    options.alpha = 0;
    CHECK_FALSE(Test::open(options));
    options.accepted.clear(); // a mistake is told even where there is nothing to test
    CHECK_FALSE(Test::open(options));
    options = {};
    options.accepted.resize(k_most_cases + 1);
    CHECK(Test::open(options).error().code == ErrorCode::too_large);
  }
}

TEST_SUITE("estimate of a test") {
  TEST_CASE("it is what tests take on average") {
    TestOptions options = options_of(20, 3, 6);
    const Estimate estimate = *estimate_test(options);
    double samples = 0;
    double worse_samples = 0;
    int found = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      samples += static_cast<double>(drive(*Test::open(options), .9, seed).samples);
      const TestReport worse = drive(*Test::open(options), .7, seed);
      worse_samples += static_cast<double>(worse.samples);
      found += worse.verdict == WatchVerdict::regressed ? 1 : 0;
    }
    CHECK(estimate.likely == Approx(samples / 400).epsilon(.12));
    CHECK(estimate.if_worse == Approx(worse_samples / 400).epsilon(.12));
    CHECK(estimate.finds_drop == Approx(found / 400.0).epsilon(.06));
    CHECK(estimate.most == 360 * 3);
    CHECK(estimate.says_ok + estimate.false_alarm <= 1);
  }

  TEST_CASE("errors and cases that are told only are asked as well") {
    TestOptions options = options_of(10, 6);
    const Estimate without = *estimate_test(options);
    const Estimate half = *estimate_test(options, .5);
    CHECK(half.likely == Approx(without.likely * 1.75)); // 1 + 1/2 + 1/4
    CHECK(half.most == without.most);
    options.accepted.push_back({});
    CHECK(estimate_test(options)->likely == Approx(without.likely + 1));
    CHECK(estimate_test({})->most == 0);
    CHECK_FALSE(estimate_test(options, -.1));
    CHECK_FALSE(estimate_test(options, 1.1));
  }
}
