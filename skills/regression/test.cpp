#include "skills/regression/test.h"

#include "skills/eval/plan.h"
#include "skills/regression/reason_words.h"

#include <algorithm>
#include <cmath>

namespace upskill::regression {
namespace {

// Where more than one sample in four was lost, errors are why nothing was decided.
constexpr std::size_t k_few_lost = 4;

WatchVerdict verdict_of(WatchReason reason) {
  switch (reason) {
  case WatchReason::dropped:
    return WatchVerdict::regressed;
  case WatchReason::held:
    return WatchVerdict::ok;
  default:
    return WatchVerdict::undecided;
  }
}

Result<void> check(const TestOptions& options) {
  if (options.runs == 0 || options.runs > k_most_runs) {
    return fail(ErrorCode::invalid_argument,
                "`runs` must lie between 1 and " + std::to_string(k_most_runs));
  }
  if (options.accepted.size() > k_most_cases) {
    return fail(ErrorCode::too_large,
                "a test takes " + std::to_string(k_most_cases) + " cases at most");
  }
  if (options.ahead == 0) {
    return fail(ErrorCode::invalid_argument, "`ahead` must be at least 1");
  }
  return {};
}

eval::Interval interval_of(double passes, double samples) {
  return eval::wilson(static_cast<std::size_t>(std::llround(passes)),
                      static_cast<std::size_t>(std::llround(samples)));
}

} // namespace

std::size_t most_samples(const Accepted& accepted, std::uint32_t runs) {
  const double useful = std::floor(k_most_for_accepted * accepted.samples());
  const std::size_t allowed = accepted.count(CaseGate::gated) * runs;
  return std::min({allowed, static_cast<std::size_t>(useful), k_most_samples});
}

double drop_of_whole(const Accepted& accepted, double drop) {
  const auto gated = static_cast<double>(accepted.count(CaseGate::gated));
  const auto quarantined = static_cast<double>(accepted.count(CaseGate::quarantined));
  return gated > 0 ? drop * gated / (gated + quarantined) : drop;
}

Result<Test> Test::open(TestOptions options) {
  TRY(check(options));
  Test test(std::move(options));
  const Accepted& accepted = test.m_accepted;
  // Numbers are checked even where there is nothing to test, so that a mistake is told at once.
  const bool is_known = accepted.samples() > 0;
  test.m_most = most_samples(accepted, test.m_options.runs);
  RateTestOptions rates{.passes = is_known ? accepted.passes : 1,
                        .failures = accepted.failures,
                        .drop = test.m_options.drop,
                        .alpha = test.m_options.alpha,
                        .beta = test.m_options.beta,
                        .most = std::max<std::size_t>(test.m_most, 1)};
  TRY_ASSIGN(test.m_test, RateTest::open(rates));
  if (accepted.cases.empty()) {
    test.m_reason = WatchReason::no_cases;
  } else if (!is_known || test.m_most == 0) {
    test.m_reason = WatchReason::nothing_accepted;
  } else if (accepted.rate() < k_drops_to_lose * test.m_options.drop) {
    test.m_reason = WatchReason::nothing_to_lose;
  } else {
    test.make_plan();
    if (accepted.count(CaseGate::quarantined) > 0) {
      rates.passes = accepted.all_passes;
      rates.failures = accepted.all_failures;
      rates.drop = drop_of_whole(accepted, test.m_options.drop);
      rates.most = std::min(test.m_plan.size(), k_most_samples);
      TRY_ASSIGN(test.m_whole, RateTest::open(rates));
    }
  }
  return test;
}

Test::Test(TestOptions options)
    : m_options(std::move(options))
    , m_accepted(weigh_accepted(m_options.accepted)) {}

// Run by run. Cases without an accepted sample are asked once, so that their rate can be told.
void Test::make_plan() {
  const std::size_t gated = m_accepted.count(CaseGate::gated);
  const auto runs = static_cast<std::uint32_t>((m_most + gated - 1) / gated);
  std::size_t counting = 0;
  for (const eval::PlannedSample& planned :
       eval::plan_samples(m_accepted.cases.size(), runs, false, m_options.seed)) {
    const CaseGate gate = m_accepted.cases[planned.case_number].gate;
    if (counting == m_most || (gate == CaseGate::unknown && planned.run > 1)) {
      continue;
    }
    counting += gate == CaseGate::gated ? 1 : 0;
    const WantedSample sample{planned.case_number, planned.run};
    m_places.emplace(sample, m_plan.size());
    m_plan.push_back({.sample = sample, .gate = gate});
  }
}

std::optional<WantedSample> Test::next() {
  if (is_over()) {
    return std::nullopt;
  }
  if (!m_again.empty()) {
    Item& item = m_plan[*m_again.begin()];
    m_again.erase(m_again.begin());
    item.is_out = true;
    return item.sample;
  }
  while (m_asked < m_plan.size() && m_asked < m_counted + m_options.ahead) {
    Item& item = m_plan[m_asked++];
    // All are asked in the first run, so that a case which nothing counts can be told.
    const bool is_wanted = counts(item) || (item.sample.run == 1 && !m_asks_whole);
    if (is_wanted && !item.is_out && !item.passed && item.errors == 0) {
      item.is_out = true;
      return item.sample;
    }
  }
  return std::nullopt;
}

Result<void> Test::add(const WantedSample& sample, SampleOutcome outcome) {
  const auto place = m_places.find(sample);
  if (place == m_places.end()) {
    return fail(ErrorCode::invalid_argument,
                "run " + std::to_string(sample.run) + " of case "
                    + std::to_string(sample.case_number) + " is not in the plan of this test");
  }
  Item& item = m_plan[place->second];
  if (is_over() || item.passed || is_lost(item)) {
    return {};
  }
  item.is_out = false;
  if (outcome == SampleOutcome::error) {
    ++m_errors;
    ++item.errors;
    if (is_lost(item)) {
      m_again.erase(place->second);
    } else {
      m_again.insert(place->second);
    }
  } else {
    m_again.erase(place->second);
    item.passed = outcome == SampleOutcome::passed;
  }
  count();
  return {};
}

bool Test::counts(const Item& item) const {
  return item.gate == CaseGate::gated || (item.gate == CaseGate::quarantined && m_asks_whole);
}

// In the order of the plan, as far as it is known.
void Test::count() {
  while (!is_over() && m_counted < m_plan.size()) {
    const Item& item = m_plan[m_counted];
    if (!counts(item)) {
      ++m_counted;
      continue;
    }
    if (!item.passed && !is_lost(item)) {
      return;
    }
    ++m_counted;
    if (is_lost(item)) {
      ++m_lost;
      if (++m_lost_in_a_row == k_most_lost_in_a_row) {
        m_reason = WatchReason::errors;
      }
      continue;
    }
    m_lost_in_a_row = 0;
    running().add(*item.passed);
    if (running().decision()) {
      decide(*running().decision());
    }
  }
  if (!is_over()) {
    m_reason = m_lost * k_few_lost > m_most ? WatchReason::errors : WatchReason::out_of_runs;
  }
}

void Test::decide(eval::Hypothesis hypothesis) {
  const bool is_worse = hypothesis == eval::Hypothesis::alternative;
  if (m_asks_whole) {
    m_reason = is_worse ? WatchReason::dropped : WatchReason::moved;
  } else if (!is_worse) {
    m_reason = WatchReason::held;
  } else if (!m_whole) {
    m_reason = WatchReason::dropped;
  } else {
    ask_whole();
  }
}

// From the start of the plan again, with what is known of it.
void Test::ask_whole() {
  m_asks_whole = true;
  m_asked = 0;
  m_counted = 0;
  m_lost = 0;
  m_lost_in_a_row = 0;
}

void Test::stop(WatchReason reason) {
  if (!is_over() && verdict_of(reason) == WatchVerdict::undecided) {
    m_reason = reason;
  }
}

TestReport Test::report() const {
  TestReport report;
  report.verdict = verdict_of(m_reason);
  report.reason = m_reason;
  report.accepted_rate = m_accepted.rate();
  report.accepted = interval_of(m_accepted.passes, m_accepted.samples());
  report.samples = m_test->passes() + m_test->failures();
  if (report.samples > 0) {
    report.rate = static_cast<double>(m_test->passes()) / static_cast<double>(report.samples);
  }
  report.interval = eval::wilson(m_test->passes(), report.samples);
  report.most = m_most;
  report.lost = m_lost;
  report.errors = m_errors;
  report.alpha = m_options.alpha;
  if (m_asks_whole && m_whole->passes() + m_whole->failures() > 0) {
    report.accepted_whole = m_accepted.whole_rate();
    report.whole = static_cast<double>(m_whole->passes())
                   / static_cast<double>(m_whole->passes() + m_whole->failures());
  }
  for (const AcceptedCase& one : m_accepted.cases) {
    report.cases.push_back({.gate = one.gate,
                            .is_flaky = one.is_flaky,
                            .accepted_passes = one.passes,
                            .accepted_runs = one.runs});
  }
  for (std::size_t place = 0; place < m_plan.size(); ++place) {
    const Item& item = m_plan[place];
    // What decides is told as far as it was counted, so that cases add up to the whole.
    if (item.passed && (place < m_counted || m_asks_whole || item.gate != CaseGate::gated)) {
      CaseStanding& standing = report.cases[item.sample.case_number];
      ++standing.runs;
      standing.passes += *item.passed ? 1 : 0;
    }
  }
  report.why = reason_in_words(report);
  return report;
}

} // namespace upskill::regression
