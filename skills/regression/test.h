#pragma once
#include "protocol/base/result.h"
#include "protocol/types/evals.h"
#include "protocol/types/watch.h"
#include "skills/eval/interval.h"
#include "skills/regression/accepted.h"
#include "skills/regression/rate_test.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace upskill::regression {

struct TestOptions {
  CaseOutcomes accepted = {}; // of this subject, by case; those without any are reported only
  double alpha = 0.05;        // of this test alone: alpha_of_look()
  double beta = 0.05;
  double drop = 0.2;
  std::uint32_t runs = 18;   // of each case at most, 1 to k_most_runs
  std::uint32_t retries = 2; // of a sample that ended in an error; then it is left out
  std::uint32_t ahead = 32;  // samples that may be given out past the first that is missing
  std::uint64_t seed = 1;    // of the order of cases
};

inline constexpr std::uint32_t k_most_runs = 1'000;
inline constexpr std::size_t k_most_cases = 10'000;
// More samples than so many times those of the accepted version can tell little more: from then on
// what is not known of the accepted rate is most of what is not known.
inline constexpr std::size_t k_most_for_accepted = 6;
// So many samples in a row that are left out end a test: a model has gone away.
inline constexpr std::size_t k_most_lost_in_a_row = 5;
// An accepted rate below this many drops has nothing to lose.
inline constexpr double k_drops_to_lose = 1.5;

// How many samples may count: what `runs` of the gated cases are, and no more than tell something.
std::size_t most_samples(const Accepted& accepted, std::uint32_t runs);

struct WantedSample {
  std::size_t case_number = 0;
  std::uint32_t run = 1;

  friend auto operator<=>(const WantedSample&, const WantedSample&) = default;
};

// What stands against what.
struct CaseStanding {
  CaseGate gate = CaseGate::gated;
  bool is_flaky = false;
  std::size_t accepted_passes = 0;
  std::size_t accepted_runs = 0;
  std::size_t passes = 0; // of the version under test
  std::size_t runs = 0;   // without errors
};

struct TestReport {
  WatchVerdict verdict = WatchVerdict::undecided;
  WatchReason reason = WatchReason::unfinished;
  std::string why = {};            // a clause for people
  double accepted_rate = 0;        // of the gated cases
  eval::Interval accepted = {};    // 95 %
  std::optional<double> rate = {}; // of this version, of the samples that count; none without any
  eval::Interval interval = {};    // 95 %
  std::size_t samples = 0;         // that count
  std::size_t most = 0;            // that may
  std::size_t lost = 0;            // left out: errors as often as they were asked
  std::size_t errors = 0;          // all of them, also of samples that were then answered
  double alpha = 0;
  // Of all cases with the quarantined ones, where that was asked for.
  double accepted_whole = 0;
  std::optional<double> whole = {};
  std::vector<CaseStanding> cases = {}; // by case, the quarantined ones too
};

// What a drop of the gated cases is of the whole, where the others stay as they are.
double drop_of_whole(const Accepted& accepted, double drop);

// One version of a skill against the accepted one, for one subject. Says which samples to draw and
// takes what they were, in any order, but counts them in the order of its plan: so what it decides
// depends on neither timing nor what a cache could answer at once. To go on after a restart, open
// one with the same options and add all outcomes there are.
//
// Where cases are quarantined and the gated ones got worse, the whole must have, too: then the
// quarantined ones are asked as often, and all of them go through a second test.
//
// Sans-IO. Owned by whoever drives it; one thread; as long as that version is of interest.
class Test {
public:
  // invalid_argument for options out of their bounds. Without cases, accepted samples or a rate
  // that could fall the test is over at once.
  static Result<Test> open(TestOptions options);

  // The next sample to draw; nothing when it is over, or when others have to come in first. A
  // sample is given out once, and once more for each error that is asked again.
  std::optional<WantedSample> next();

  // invalid_argument for a sample that is not in the plan. The first outcome of a sample stays, and
  // when it is over nothing counts any more.
  Result<void> add(const WantedSample& sample, SampleOutcome outcome);

  // Ends it undecided, for a reason of the driver's; no change when it is over.
  void stop(WatchReason reason);

  bool is_over() const { return m_reason != WatchReason::unfinished; }

  TestReport report() const;

private:
  struct Item {
    WantedSample sample = {};
    CaseGate gate = CaseGate::gated;
    bool is_out = false; // given out, and no outcome yet
    std::uint32_t errors = 0;
    std::optional<bool> passed = {};
  };

  explicit Test(TestOptions options);

  void make_plan();

  bool is_lost(const Item& item) const { return !item.passed && item.errors > m_options.retries; }

  bool counts(const Item& item) const;

  RateTest& running() { return m_asks_whole ? *m_whole : *m_test; }

  void count();
  void decide(eval::Hypothesis hypothesis);
  void ask_whole();

  TestOptions m_options;
  Accepted m_accepted;
  std::optional<RateTest> m_test = {};
  std::optional<RateTest> m_whole = {}; // of all cases, where any is quarantined
  bool m_asks_whole = false;            // the gated ones got worse
  std::size_t m_most = 0;
  std::vector<Item> m_plan = {};
  std::map<WantedSample, std::size_t> m_places = {}; // in the plan
  std::set<std::size_t> m_again = {};                // places, to be asked again
  std::size_t m_asked = 0;                           // places before it were given out or known
  std::size_t m_counted = 0;                         // places before it are in the test
  std::size_t m_lost = 0;
  std::size_t m_lost_in_a_row = 0;
  std::size_t m_errors = 0;
  WatchReason m_reason = WatchReason::unfinished;
};

} // namespace upskill::regression
