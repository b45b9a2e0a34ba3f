#pragma once
#include "protocol/types/eval_reports.h"
#include "protocol/types/watch.h"

namespace upskill {

// What decides whether a version is worse: is the skill picked, does it help when it is read, does
// the whole work.
enum class WatchMeasure { trigger, forced, end_to_end };

template <> struct EnumNames<WatchMeasure> {
  static constexpr std::array<std::string_view, 3> names{"trigger", "forced", "end_to_end"};
};

// Where a watched skill is.
enum class WatchState {
  idle,    // nothing was changed since its verdict, or since the start
  looking, // it was changed, and is looked at
  testing, // samples are drawn
  waiting, // for a person to say go: it would cost
  gone     // it is not there any more
};

template <> struct EnumNames<WatchState> {
  static constexpr std::array<std::string_view, 5> names{
      "idle", "looking", "testing", "waiting", "gone"};
};

// What is asked of `eval_accept`.
struct EvalAcceptParams {
  std::string skill;
  std::vector<std::string> model = {};
  std::vector<std::string> student = {};
  std::optional<std::int64_t> runs = {};
  std::string judge_model = {};
  std::string base_url = {};
  bool no_sandbox = false;
  std::optional<std::int64_t> jobs = {};
  std::optional<double> budget = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&EvalAcceptParams::skill, "skill", "The skill's name, or its folder.");
    f.optional(&EvalAcceptParams::model,
               "model",
               "A model that later versions are tested with; those of `evals/watch.yaml` or of the "
               "configuration unless told.");
    f.optional(&EvalAcceptParams::student,
               "student",
               "Who uses the model: `chat` (default), `agent`, `cli.claude-code`, ...");
    f.optional(&EvalAcceptParams::runs, "runs", "Samples of each case; 3.");
    f.optional(&EvalAcceptParams::judge_model, "judge_model", "Answers `judge` checks.");
    f.optional(
        &EvalAcceptParams::base_url, "base_url", "Where an OpenAI-compatible server answers.");
    f.for_people(&EvalAcceptParams::no_sandbox,
                 "no_sandbox",
                 "Run coding agents without the sandbox: with your files and network.");
    f.optional(&EvalAcceptParams::jobs, "jobs", "Samples in flight at a time; adaptive from 20.");
    f.optional(&EvalAcceptParams::budget, "budget", "US dollars that may be spent.");
    f.optional(&EvalAcceptParams::dry_run, "dry_run", "Ask nobody, and accept nothing.");
  }
};

// What is known of the accepted version, by one model, student and measure.
struct AcceptedSubjectReport {
  std::string model = {};
  std::string student = {};
  WatchMeasure measure = WatchMeasure::forced;
  std::int64_t cases = 0;
  std::int64_t samples = 0;
  std::int64_t errors = 0;
  std::optional<EvalShare> rate = {};
  std::vector<std::string> flaky = {};

  static void describe(auto& f) {
    f.required(&AcceptedSubjectReport::model, "model", "Who answered.");
    f.required(&AcceptedSubjectReport::student, "student", "How it was asked.");
    f.required(&AcceptedSubjectReport::measure, "measure", "What was measured.");
    f.required(&AcceptedSubjectReport::cases, "cases", "Test cases, or trigger queries.");
    f.required(&AcceptedSubjectReport::samples, "samples", "Answers that say something.");
    f.optional(&AcceptedSubjectReport::errors, "errors", "Answers that could not be had.");
    f.optional(&AcceptedSubjectReport::rate, "rate", "Share of passes, of the cases that decide.");
    f.optional(&AcceptedSubjectReport::flaky,
               "flaky",
               "Cases that pass now and then; later versions are not held to them.");
  }
};

struct EvalAcceptResult {
  std::string skill;
  std::string hash = {};
  std::string accepted_at = {};
  std::vector<AcceptedSubjectReport> subjects = {};
  std::string mode = {};
  bool trusts_file = false;
  std::int64_t asked = 0;
  std::optional<double> cost = {};
  std::int64_t planned = 0;
  bool dry_run = false;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&EvalAcceptResult::skill, "skill", "Its name.");
    f.required(&EvalAcceptResult::hash, "hash", "Of the version that is accepted.");
    f.optional(&EvalAcceptResult::accepted_at, "accepted_at", "When.");
    f.required(&EvalAcceptResult::subjects, "subjects", "What later versions are held against.");
    f.optional(
        &EvalAcceptResult::mode, "mode", "What a change of the skill does: `off`, `ask`, `auto`.");
    f.optional(
        &EvalAcceptResult::trusts_file, "trusts_file", "`evals/watch.yaml` counts as it stands.");
    f.optional(
        &EvalAcceptResult::asked, "asked", "Questions that models were asked, and not the cache.");
    f.optional(&EvalAcceptResult::cost, "cost", "US dollars; unknown where a model does not tell.");
    f.optional(&EvalAcceptResult::planned, "planned", "Samples that it takes, at most.");
    f.optional(&EvalAcceptResult::dry_run, "dry_run", "Nobody was asked, nothing is accepted.");
    f.optional(&EvalAcceptResult::warnings, "warnings", "What does not look right.");
  }
};

// What a test that has not begun is likely to take.
struct WatchEstimate {
  double samples = 0;
  double if_worse = 0;
  std::int64_t most = 0;
  std::optional<double> usd = {};
  std::optional<double> most_usd = {};

  static void describe(auto& f) {
    f.required(&WatchEstimate::samples, "samples", "On average, if the version is as good.");
    f.required(&WatchEstimate::if_worse, "if_worse", "If it is worse by the drop looked for.");
    f.required(&WatchEstimate::most, "most", "Whatever happens.");
    f.optional(&WatchEstimate::usd, "usd", "What `samples` cost in US dollars, where it is known.");
    f.optional(&WatchEstimate::most_usd, "most_usd", "What `most` cost.");
  }
};

// One version against the accepted one, by one model, student and measure.
struct WatchedSubject {
  std::string model = {};
  std::string student = {};
  WatchMeasure measure = WatchMeasure::forced;
  WatchVerdict verdict = WatchVerdict::undecided;
  WatchReason reason = WatchReason::unfinished;
  std::string why = {};
  std::optional<double> accepted_rate = {};
  std::optional<EvalShare> rate = {};
  std::int64_t samples = 0;
  std::int64_t most = 0;
  std::int64_t asked = 0;
  std::int64_t errors = 0;
  std::int64_t tier = 0;
  std::optional<double> alpha = {};
  std::int64_t tokens = 0;
  std::optional<double> cost = {};
  std::optional<WatchEstimate> estimate = {};
  std::vector<std::string> flaky = {};
  std::vector<std::string> never_asked = {};

  static void describe(auto& f) {
    f.required(&WatchedSubject::model, "model", "Who answers.");
    f.required(&WatchedSubject::student, "student", "How it is asked.");
    f.required(&WatchedSubject::measure, "measure", "What is measured.");
    f.required(&WatchedSubject::verdict, "verdict", "REGRESSED, OK or UNDECIDED.");
    f.required(&WatchedSubject::reason, "reason", "Why.");
    f.optional(&WatchedSubject::why, "why", "The same for people.");
    f.optional(&WatchedSubject::accepted_rate, "accepted_rate", "Of the accepted version.");
    f.optional(&WatchedSubject::rate, "rate", "Of this one.");
    f.optional(&WatchedSubject::samples, "samples", "That count so far.");
    f.optional(&WatchedSubject::most, "most", "That may.");
    f.optional(&WatchedSubject::asked, "asked", "That were asked, and not answered before.");
    f.optional(&WatchedSubject::errors, "errors", "Answers that could not be had.");
    f.optional(&WatchedSubject::tier,
               "tier",
               "How far it had to go: 1 to what was answered before, 2 to a sample of each case, 3 "
               "to more of them.");
    f.optional(&WatchedSubject::alpha, "alpha", "Its share of false alarms.");
    f.optional(&WatchedSubject::tokens, "tokens", "Of what was asked.");
    f.optional(&WatchedSubject::cost, "cost", "US dollars; unknown where a model does not tell.");
    f.optional(&WatchedSubject::estimate, "estimate", "What going on is likely to take.");
    f.optional(
        &WatchedSubject::flaky, "flaky", "Cases that pass now and then; they decide nothing.");
    f.optional(&WatchedSubject::never_asked,
               "never_asked",
               "Cases that the accepted version was never asked; they decide nothing.");
  }
};

// A skill that was changed, or has an accepted version.
struct WatchedSkill {
  std::string skill;
  std::string project = {};
  WatchState state = WatchState::idle;
  std::string hash = {};
  std::string accepted = {};
  WatchVerdict verdict = WatchVerdict::undecided;
  WatchReason reason = WatchReason::unfinished;
  std::string why = {};
  std::vector<std::string> changed = {};
  std::vector<std::string> problems = {};
  std::int64_t errors = 0;
  std::vector<std::string> gains = {};
  std::vector<WatchedSubject> subjects = {};
  std::int64_t look = 0;
  std::string mode = {};
  std::string at = {};

  static void describe(auto& f) {
    f.required(&WatchedSkill::skill, "skill", "Its name.");
    f.optional(&WatchedSkill::project, "project", "Where it lies; empty: the user's own.");
    f.required(&WatchedSkill::state, "state", "What goes on.");
    f.optional(&WatchedSkill::hash, "hash", "Of the version that this is about.");
    f.optional(&WatchedSkill::accepted,
               "accepted",
               "Of the version that it is held against; empty: none was accepted.");
    f.required(&WatchedSkill::verdict, "verdict", "REGRESSED, OK or UNDECIDED.");
    f.required(&WatchedSkill::reason, "reason", "Why.");
    f.optional(&WatchedSkill::why, "why", "The same for people.");
    f.optional(&WatchedSkill::changed, "changed", "What is different from the accepted version.");
    f.optional(&WatchedSkill::problems,
               "problems",
               "What a look at the folder shows: it is not valid, or dangerous.");
    f.optional(&WatchedSkill::errors,
               "errors",
               "So many of `problems`, the first, keep it from being used.");
    f.optional(&WatchedSkill::gains, "gains", "What it may do that the accepted one might not.");
    f.optional(&WatchedSkill::subjects, "subjects", "By model, student and measure.");
    f.optional(&WatchedSkill::look,
               "look",
               "Which version since the accepted one this is that may be tested; 0: none.");
    f.optional(&WatchedSkill::mode, "mode", "`off`, `ask` or `auto`.");
    f.optional(&WatchedSkill::at, "at", "When it was last looked at.");
  }
};

struct WatchParams {
  std::vector<std::string> skill = {};
  std::optional<std::int64_t> after = {};
  std::optional<std::int64_t> wait_ms = {};

  static void describe(auto& f) {
    f.optional(&WatchParams::skill, "skill", "Only these; all unless told.");
    f.optional(&WatchParams::after, "after", "Answer when there is news after this `generation`.");
    f.optional(&WatchParams::wait_ms, "wait_ms", "Wait so long for it at most; 30,000.");
  }
};

struct WatchRunParams {
  std::string skill;

  static void describe(auto& f) {
    f.required(&WatchRunParams::skill, "skill", "A watched skill, by its name.");
  }
};

struct WatchCancelParams {
  std::string skill;

  static void describe(auto& f) {
    f.required(&WatchCancelParams::skill, "skill", "A watched skill, by its name.");
  }
};

struct WatchResult {
  std::int64_t generation = 0;
  std::vector<WatchedSkill> skills = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&WatchResult::generation, "generation", "Grows with every change of this.");
    f.required(&WatchResult::skills, "skills", "By project and name.");
    f.optional(&WatchResult::warnings, "warnings", "What does not work.");
  }
};

} // namespace upskill
