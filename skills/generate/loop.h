#pragma once
#include "protocol/base/result.h"
#include "protocol/types/eval_reports.h"
#include "skills/eval/case.h"
#include "skills/generate/draft.h"
#include "skills/generate/looks.h"
#include "skills/generate/loop_cases.h"
#include "skills/generate/loop_samples.h"
#include "skills/generate/prompts.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace upskill::generate {

inline constexpr std::size_t k_least_train = 2; // cases; fewer teach nothing

struct LoopOptions {
  std::vector<std::string> students = {}; // names of those who decide, as reports show them
  std::size_t candidates = 1;             // first drafts, written at the same time
  std::size_t attempts = 3;               // drafts, one after the other, the first included
  std::uint32_t runs = 3;                 // samples of a case, student and arm
  std::size_t cases = 20;                 // asked for at first, half of them held out
  std::size_t least_held_out = 10;        // that decide a save
  std::size_t more_cases = 10;            // held out as well, for a second look; 0: no second look
  double alpha = 0.05;                    // two-sided, of all looks together
  double plateau = 0.05;                  // a refinement that gains less on train is the last one
  bool evaluates = true;                  // false: `--no-eval`
  bool counterexamples = false;           // after each draft, somebody looks for cases it fails
  std::uint64_t seed = 1;
  std::string baseline = "without a skill"; // how sentences call it: "with the skill as it is"
  std::size_t resamples = 10'000;           // of each interval
};

// What is to be done by whoever drives a loop. Steps that were given out together, and those that
// are under way, do not depend on each other.
struct Step {
  enum class Kind {
    write_cases,     // `count` cases for the task that repeat none of inputs() -> cases_written()
    write_draft,     // a first draft -> draft_written()
    refine,          // `draft` by failures_of(draft) -> draft_written()
    counterexamples, // `count` cases on which `draft` fails -> cases_written()
    evaluate         // `student` at `cases`, with `draft` or as the baseline -> evaluated()
  };

  std::uint32_t id = 0;
  Kind kind = Kind::write_cases;
  std::size_t count = 0;
  std::size_t candidate = 0;             // write_draft: which of the first drafts, from 0
  std::optional<std::size_t> draft = {}; // evaluate: none is the baseline
  std::size_t student = 0;               // in LoopOptions::students
  std::vector<std::size_t> cases = {};   // numbers in suite(), increasing
};

// How it ended, and why in a sentence for people.
struct Ending {
  enum class Kind {
    better,        // the held-out cases prove it: to be saved
    not_better,    // they do not
    worse,         // a student gets worse
    unevaluated,   // `--no-eval`
    not_warranted, // the teacher finds no skill warranted, or students need none
    undecidable,   // too few cases that can be used
    stopped,       // budget or time
    failed         // nothing was written, or nothing is known of a student: `error`
  };

  Kind kind = Kind::failed;
  std::string why = {};
  std::optional<std::size_t> draft = {}; // the best, in drafts()
  std::optional<Error> error = {};
};

// One draft, and what came of it.
struct Attempt {
  std::size_t attempt = 1;              // from 1: its place in its line of drafts
  std::size_t candidate = 0;            // from 0
  std::optional<std::size_t> from = {}; // the draft that it refines
  std::string problem = {};             // why there is no draft; empty: there is one, or will be
  Draft draft = {};
  // Means over students, of the train cases and of the held-out ones where it was looked at.
  std::optional<double> train_baseline = {};
  std::optional<double> train = {};
  std::optional<double> held_out_baseline = {};
  std::optional<double> held_out = {};
};

// Makes a skill: cases are written before any draft is seen and split into train and held-out ones,
// drafts are evaluated on train and refined by what failed, and what is best is judged on cases
// that no draft has seen. Sans-IO: it says which steps may begin, and is told what came of them.
// README.md has the states and the reasons.
//
// Each look at the held-out cases spends half of the alpha that is left, so that trying again is no
// further chance. Owner: who drives it. Thread: one. Lifetime: one call.
class Loop {
public:
  explicit Loop(LoopOptions options);

  // Of a skill that is improved: its own cases, on which it must not get worse; their baseline is
  // the skill as it is. Before the first step.
  void add_own_cases(const eval::CaseSuite& own);

  // Those that may begin now; each is given out once. Empty while all that is left waits for what
  // is under way, and after the end.
  std::vector<Step> take_steps();

  void cases_written(std::uint32_t id, Result<eval::CaseSuite> written);
  void draft_written(std::uint32_t id, Result<DraftReply> written);
  // Samples of the step's cases: `arm` is set by the loop, errors are samples without an outcome.
  void evaluated(std::uint32_t id, Result<std::vector<EvalSample>> samples);

  // The budget is spent, or somebody cancels: nothing begins any more, and what is best so far is
  // told, once all that is under way came back. Before the steps are told that were cut short: an
  // error of theirs would be the end else.
  void stop(std::string why);

  // Once nothing is under way any more. Steps whose result no longer matters must be told as well.
  const std::optional<Ending>& ending() const { return m_ending; }

  // All cases, in the order in which they came; own ones first.
  const eval::CaseSuite& suite() const { return m_cases.suite(); }

  std::vector<std::string> inputs() const { return m_cases.inputs(); }

  const std::vector<Attempt>& attempts() const {
    return m_attempts;
  } // a Step's `draft` is its place

  // Every train sample that did not pass with this draft, whoever the student was.
  std::vector<Failure> failures_of(std::size_t draft) const;

  // Of the held-out cases alone, for each student: the draft against the baseline, with the verdict
  // that its looks allow. Empty where it was not looked at.
  Result<std::vector<EvalModelReport>> held_out_report(std::size_t draft) const;

  // Numbers in suite(), increasing.
  std::vector<std::size_t> cases_of(CasePart part) const { return m_cases.of(part); }

  std::size_t train_cases() const { return m_cases.of(CasePart::train).size(); }

  std::size_t held_out_cases() const { return m_cases.of(CasePart::held_out).size(); }

  // Of all steps so far: more may come.
  std::size_t planned_samples() const { return m_planned_samples; }

  // How often the held-out cases were looked at.
  std::size_t looks() const { return m_looks.size(); }

  const std::vector<std::string>& warnings() const { return m_warnings; }

private:
  // What the steps that are under way are for. A phase ends when all of its steps came back, so
  // that nothing hangs on the order in which they do.
  enum class Phase {
    first,           // cases, first drafts, baseline, and drafts on train
    looking,         // the best draft on held-out cases
    more_cases,      // the second set is written
    own_cases,       // the draft that would be saved, on the skill's own cases
    counterexamples, // they are written
    countering,      // and asked
    refining         // a draft is written, and asked
  };

  enum class Writing { waiting, written, not_warranted, failed };

  // What became of the request for an attempt's draft.
  struct Reply {
    Writing state = Writing::waiting;
    Error problem = {}; // also a teacher's reason
  };

  void push(Step step);
  void evaluate(LoopArm arm, const std::vector<std::size_t>& cases);
  std::optional<Step> take_back(std::uint32_t id, std::initializer_list<Step::Kind> kinds);
  bool is_waiting_for_baseline() const;
  bool has_draft(std::size_t attempt) const;
  bool any_draft() const;
  void warn(std::string line);
  void close();
  void advance();

  // The first phase, step by step.
  void settle_cases();
  void settle_first_draft(std::size_t attempt);
  void settle_baseline();
  bool needs_no_skill() const;

  // At the end of a phase: each of these pushes steps or ends the loop. loop_decide.cpp has them.
  void decide_first();
  void end_without_draft();
  void end_without_cases();
  void decide_refined();
  void consider();
  void decide_look();
  void decide_more_cases();
  void decide_own_cases();
  void decide_counterexamples();
  void go_on();
  void refine();
  void finish();
  void fail_with(Error error);
  void end(Ending ending);

  void score_drafts();
  double gain(std::size_t draft, LoopArm over) const;
  const Look* last_look(std::size_t draft) const;
  std::optional<std::size_t> best_so_far() const;
  StudentCases paired(std::size_t draft, const std::vector<std::size_t>& cases) const;

  LoopOptions m_options;
  LoopCases m_cases = {};
  LoopSamples m_samples = {};
  std::vector<Attempt> m_attempts = {};
  std::vector<Reply> m_replies = {}; // of each attempt
  std::vector<Look> m_looks = {};
  std::vector<std::string> m_warnings = {};
  std::optional<Ending> m_ending = {};

  Phase m_phase = Phase::first;
  std::vector<Step> m_queue = {}; // to be given out
  std::map<std::uint32_t, Step> m_under_way = {};
  std::uint32_t m_last_id = 0;
  std::size_t m_planned_samples = 0;
  std::optional<std::string> m_stop = {}; // why
  bool m_is_closing = false;              // the first phase has its ending, and waits for the rest

  std::size_t m_case_requests = 0;
  bool m_is_split = false;
  std::optional<Error> m_case_problem = {};
  std::vector<std::size_t> m_new_cases = {}; // what was written last
  bool m_drew_more = false;                  // the second set was asked for

  std::size_t m_best = 0;    // on train
  std::size_t m_current = 0; // what would be refined
  bool m_is_last = false;    // the last refinement gained too little
  double m_alpha_left = 0;
};

} // namespace upskill::generate
