#include "skills/eval/interval.h"
#include "skills/eval/report.h"
#include "skills/eval/report_numbers.h"
#include "skills/generate/loop.h"

#include <algorithm>
#include <utility>

// What a loop does at the end of each phase. README.md has the reasons.
namespace upskill::generate {
namespace {

constexpr std::size_t k_counterexamples = 5;

std::string in_words(const Look& look) {
  return std::to_string(look.cases.size()) + " held-out cases";
}

eval::BootstrapOptions bootstrap_of(const LoopOptions& options) {
  return {.seed = options.seed, .resamples = options.resamples};
}

} // namespace

// Drafts and cases were asked for at the same time, and the baseline as soon as there were cases:
// in this order an ending is the same one whatever came first.
void Loop::decide_first() {
  if (!any_draft()) {
    end_without_draft();
    return;
  }
  if (!m_options.evaluates) {
    end({Ending::Kind::unevaluated, "no student was asked", 0});
    return;
  }
  if (!m_is_split) {
    end_without_cases();
    return;
  }
  for (CasePart part : {CasePart::train, CasePart::held_out}) {
    if (auto problem = m_samples.problem(std::nullopt, m_options.students, m_cases.of(part))) {
      fail_with(std::move(*problem));
      return;
    }
  }
  if (needs_no_skill()) {
    end({Ending::Kind::not_warranted, "the students pass every case " + m_options.baseline});
    return;
  }
  score_drafts();
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < m_attempts.size(); ++i) {
    if (!has_draft(i)) {
      continue;
    }
    if (auto problem = m_samples.problem(i, m_options.students, m_cases.of(CasePart::train))) {
      fail_with(std::move(*problem));
      return;
    }
    if (!best || gain(i, *best) > eval::k_rounding) {
      best = i;
    }
  }
  m_best = m_current = *best;
  consider();
}

void Loop::end_without_draft() {
  for (const Reply& reply : m_replies) {
    if (reply.state == Writing::not_warranted) {
      end({Ending::Kind::not_warranted, reply.problem.message});
      return;
    }
  }
  for (const Reply& reply : m_replies) {
    if (reply.state == Writing::failed) {
      fail_with(reply.problem);
      return;
    }
  }
  end({Ending::Kind::stopped}); // before any reply
}

void Loop::end_without_cases() {
  if (m_case_problem) {
    fail_with(*m_case_problem);
    return;
  }
  end({Ending::Kind::undecidable,
       std::to_string(m_cases.of(CasePart::written).size())
           + " test cases can be used, and it takes "
           + std::to_string(m_options.least_held_out + k_least_train) + ": "
           + std::to_string(m_options.least_held_out) + " to decide by and "
           + std::to_string(k_least_train) + " to learn from",
       best_so_far()});
}

void Loop::decide_refined() {
  const std::size_t draft = m_attempts.size() - 1;
  if (!has_draft(draft)) {
    finish();
    return;
  }
  score_drafts();
  if (auto problem = m_samples.problem(draft, m_options.students, m_cases.of(CasePart::train))) {
    fail_with(std::move(*problem));
    return;
  }
  const double gained = gain(draft, m_best);
  m_is_last = gained < m_options.plateau - eval::k_rounding;
  m_current = draft;
  if (gained > eval::k_rounding) {
    m_best = draft;
    consider();
  } else {
    go_on();
  }
}

// A draft that is no better than the baseline on the cases it was made with is not worth a look,
// which costs alpha.
void Loop::consider() {
  if (gain(m_best, std::nullopt) > eval::k_rounding) {
    m_phase = Phase::looking;
    evaluate(m_best, m_cases.of(CasePart::held_out));
  } else {
    go_on();
  }
}

void Loop::decide_look() {
  const std::vector<std::size_t> cases = m_cases.of(CasePart::held_out);
  if (auto problem = m_samples.problem(m_best, m_options.students, cases)) {
    fail_with(std::move(*problem));
    return;
  }
  m_alpha_left /= 2;
  Look look;
  look.draft = m_best;
  look.number = m_looks.size() + 1;
  look.cases = cases;
  look.least_cases = m_options.least_held_out; // errors are no outcomes
  look.runs = m_options.runs;
  look.alpha = m_alpha_left;
  Result<void> judged = judge_look(look, paired(m_best, cases), bootstrap_of(m_options));
  if (!judged) {
    fail_with(judged.error());
    return;
  }
  m_looks.push_back(look);
  score_drafts();
  const bool may_draw = !m_drew_more && m_options.more_cases > 0;
  if (look.is_better) {
    m_phase = Phase::own_cases;
    const std::vector<std::size_t> own = m_cases.of(CasePart::own);
    evaluate(std::nullopt, own);
    evaluate(m_best, own);
    if (own.empty()) {
      decide_own_cases();
    }
  } else if (may_draw && !look.harmed && look.lift > eval::k_rounding) {
    m_drew_more = true;
    m_phase = Phase::more_cases;
    push({.kind = Step::Kind::write_cases, .count = m_options.more_cases});
  } else {
    go_on();
  }
}

void Loop::decide_more_cases() {
  if (m_new_cases.empty()) {
    go_on();
    return;
  }
  m_phase = Phase::looking;
  evaluate(std::nullopt, m_new_cases);
  evaluate(m_best, m_new_cases);
}

void Loop::decide_own_cases() {
  const std::vector<std::size_t> own = m_cases.of(CasePart::own);
  for (LoopArm arm : {LoopArm(), LoopArm(m_best)}) {
    std::optional<Error> problem = m_samples.problem(arm, m_options.students, own);
    if (problem && !own.empty()) {
      fail_with(std::move(*problem));
      return;
    }
  }
  Result<std::optional<std::size_t>> harmed =
      find_harm(paired(m_best, own), bootstrap_of(m_options));
  if (!harmed) {
    fail_with(harmed.error());
  } else if (*harmed) {
    end({Ending::Kind::worse,
         "`" + m_options.students[**harmed] + "` gets worse on the skill's own cases",
         m_best});
  } else {
    const Look& look = m_looks.back();
    end({Ending::Kind::better,
         in_words(look) + " prove it: " + lifts_in_words(look, m_options.students),
         m_best});
  }
}

void Loop::decide_counterexamples() {
  if (m_new_cases.empty()) {
    refine();
    return;
  }
  m_phase = Phase::countering;
  evaluate(std::nullopt, m_new_cases);
  evaluate(m_current, m_new_cases);
}

// Refines, if there is a point in it.
void Loop::go_on() {
  if (m_is_last || m_attempts[m_current].attempt >= m_options.attempts) {
    finish();
  } else if (m_options.counterexamples) {
    m_phase = Phase::counterexamples;
    push({.kind = Step::Kind::counterexamples, .count = k_counterexamples, .draft = m_current});
  } else {
    refine();
  }
}

void Loop::refine() {
  score_drafts();
  if (failures_of(m_current).empty()) {
    finish();
    return;
  }
  m_phase = Phase::refining;
  if (!m_stop) { // else nobody would write it
    const Attempt& current = m_attempts[m_current];
    m_attempts.push_back(
        {.attempt = current.attempt + 1, .candidate = current.candidate, .from = m_current});
    m_replies.emplace_back();
    push({.kind = Step::Kind::refine, .draft = m_current});
  }
}

void Loop::finish() {
  const std::size_t best = best_so_far().value_or(m_best);
  const Look* look = last_look(best);
  if (look == nullptr) {
    const Attempt& attempt = m_attempts[best];
    end({Ending::Kind::not_better,
         "students pass " + eval::as_percent(attempt.train) + " of the train cases with it, and "
             + eval::as_percent(attempt.train_baseline) + " " + m_options.baseline,
         best});
  } else if (look->harmed) {
    end({Ending::Kind::worse,
         "`" + m_options.students[*look->harmed] + "` gets worse on " + in_words(*look) + ": "
             + lifts_in_words(*look, m_options.students),
         best});
  } else {
    end({Ending::Kind::not_better,
         in_words(*look) + " do not prove it: " + lifts_in_words(*look, m_options.students),
         best});
  }
}

void Loop::fail_with(Error error) {
  const std::string why = error.message;
  end({Ending::Kind::failed, why, best_so_far(), std::move(error)});
}

// Who stopped wants to hear of nothing but a proof.
void Loop::end(Ending ending) {
  if (m_stop && ending.kind != Ending::Kind::better) {
    score_drafts();
    ending = {Ending::Kind::stopped, *m_stop, best_so_far()};
  }
  for (std::size_t i = 0; i < m_attempts.size(); ++i) {
    if (m_replies[i].state == Writing::waiting) {
      m_attempts[i].problem = "not written: " + ending.why;
    }
  }
  m_ending = std::move(ending);
}

void Loop::score_drafts() {
  const std::vector<std::size_t> train = m_cases.of(CasePart::train);
  for (std::size_t i = 0; i < m_attempts.size(); ++i) {
    Attempt& attempt = m_attempts[i];
    if (auto means = m_samples.means(i, std::nullopt, m_options.students.size(), train)) {
      attempt.train = means->one;
      attempt.train_baseline = means->other;
    }
    if (const Look* look = last_look(i)) {
      auto means = m_samples.means(i, std::nullopt, m_options.students.size(), look->cases);
      if (means) {
        attempt.held_out = means->one;
        attempt.held_out_baseline = means->other;
      }
    }
  }
}

// On the train cases that both were asked; 0 where there is none.
double Loop::gain(std::size_t draft, LoopArm over) const {
  auto means = m_samples.means(draft, over, m_options.students.size(), m_cases.of(CasePart::train));
  return means ? means->one - means->other : 0;
}

const Look* Loop::last_look(std::size_t draft) const {
  auto found = std::ranges::find(m_looks.rbegin(), m_looks.rend(), draft, &Look::draft);
  return found == m_looks.rend() ? nullptr : &*found;
}

// By the held-out cases, else by the train ones, else the first; of equal ones the earlier.
std::optional<std::size_t> Loop::best_so_far() const {
  std::optional<std::size_t> by_look;
  std::optional<std::size_t> by_train;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < m_attempts.size(); ++i) {
    if (!has_draft(i)) {
      continue;
    }
    const Look* look = last_look(i);
    if (look && (!by_look || look->lift > last_look(*by_look)->lift + eval::k_rounding)) {
      by_look = i;
    }
    if (m_attempts[i].train && (!by_train || gain(i, *by_train) > eval::k_rounding)) {
      by_train = i;
    }
    first = first ? first : i;
  }
  return by_look ? by_look : by_train ? by_train : first;
}

StudentCases Loop::paired(std::size_t draft, const std::vector<std::size_t>& cases) const {
  StudentCases students;
  for (std::size_t i = 0; i < m_options.students.size(); ++i) {
    std::vector<eval::PairedCase>& of =
        students.emplace_back(m_samples.pairs(draft, i, suite(), cases));
    for (eval::PairedCase& one : of) { // what they cost decides nothing, and takes long to compare
      for (eval::ArmSamples* arm : {&one.with, &one.baseline}) {
        arm->tokens = arm->cost = arm->seconds = std::nullopt;
      }
    }
  }
  return students;
}

Result<std::vector<EvalModelReport>> Loop::held_out_report(std::size_t draft) const {
  const Look* look = last_look(draft);
  if (look == nullptr) {
    return std::vector<EvalModelReport>();
  }
  std::vector<eval::ModelSamples> students;
  for (std::size_t i = 0; i < m_options.students.size(); ++i) {
    eval::ModelSamples& of = students.emplace_back();
    of.model = m_options.students[i];
    for (std::size_t number : look->cases) {
      for (LoopArm arm : {LoopArm(draft), LoopArm()}) {
        std::ranges::copy(m_samples.of(arm, i, number), std::back_inserter(of.samples));
      }
    }
  }
  TRY_ASSIGN(
      std::vector<EvalModelReport> reports,
      eval::report_models(m_cases.some(look->cases), std::move(students), true, m_options.seed));
  for (std::size_t i = 0; i < reports.size(); ++i) {
    tell_look(reports[i], *look, i);
  }
  return reports;
}

} // namespace upskill::generate
