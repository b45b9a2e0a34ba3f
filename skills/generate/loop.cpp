#include "skills/generate/loop.h"

#include <algorithm>
#include <utility>

namespace upskill::generate {
namespace {

constexpr std::size_t k_most_attempts = 20; // a twentieth look would spend an alpha of 5e-8
constexpr std::size_t k_most_candidates = 20;
constexpr std::size_t k_most_warnings = 100;

// Options are a person's: what makes no sense counts as the nearest that does.
LoopOptions sane(LoopOptions options) {
  options.attempts = std::clamp<std::size_t>(options.attempts, 1, k_most_attempts);
  options.candidates = std::clamp<std::size_t>(options.candidates, 1, k_most_candidates);
  options.candidates = options.evaluates ? options.candidates : 1;
  options.runs = std::max<std::uint32_t>(options.runs, 1);
  options.least_held_out = std::max<std::size_t>(options.least_held_out, 1);
  options.cases = std::max(options.cases, options.least_held_out + k_least_train);
  options.alpha = options.alpha > 0 && options.alpha < 1 ? options.alpha : k_harm_alpha;
  return options;
}

bool is_baseline(const Step& step) {
  return step.kind == Step::Kind::evaluate && !step.draft;
}

} // namespace

Loop::Loop(LoopOptions options)
    : m_options(sane(std::move(options)))
    , m_alpha_left(m_options.alpha) {
  if (m_options.evaluates && m_options.students.empty()) {
    fail_with({ErrorCode::invalid_argument, "there is no student to evaluate a skill with"});
    return;
  }
  if (m_options.evaluates) {
    push({.kind = Step::Kind::write_cases, .count = m_options.cases});
    m_case_requests = 1;
  }
  for (std::size_t i = 0; i < m_options.candidates; ++i) {
    m_attempts.push_back({.candidate = i});
    m_replies.emplace_back();
    push({.kind = Step::Kind::write_draft, .candidate = i});
  }
}

void Loop::add_own_cases(const eval::CaseSuite& own) {
  m_cases.add_own(own);
}

std::vector<Step> Loop::take_steps() {
  std::vector<Step> steps = std::exchange(m_queue, {});
  for (const Step& step : steps) {
    m_under_way.emplace(step.id, step);
  }
  return steps;
}

void Loop::cases_written(std::uint32_t id, Result<eval::CaseSuite> written) {
  std::optional<Step> step = take_back(id, {Step::Kind::write_cases, Step::Kind::counterexamples});
  if (!step) {
    return;
  }
  m_new_cases.clear();
  if (written) {
    const CasePart part = step->kind == Step::Kind::counterexamples ? CasePart::train
                          : m_is_split                              ? CasePart::held_out
                                                                    : CasePart::written;
    m_new_cases = m_cases.add(*written, part, step->count);
    const std::size_t left_out = written->cases.size() - m_new_cases.size();
    if (left_out > 0) {
      warn(std::to_string(left_out) + " of " + std::to_string(written->cases.size())
           + " written cases are left out: they repeat others, or are more than were asked for");
    }
    m_case_problem.reset();
  } else {
    warn((step->kind == Step::Kind::counterexamples ? "no counterexamples: " : "no test cases: ")
         + written.error().message);
    m_case_problem = std::move(written.error());
  }
  if (m_phase == Phase::first) {
    settle_cases();
  }
  advance();
}

void Loop::draft_written(std::uint32_t id, Result<DraftReply> written) {
  std::optional<Step> step = take_back(id, {Step::Kind::write_draft, Step::Kind::refine});
  if (!step) {
    return;
  }
  const std::size_t number =
      step->kind == Step::Kind::write_draft ? step->candidate : m_attempts.size() - 1;
  Attempt& attempt = m_attempts[number];
  Reply& reply = m_replies[number];
  if (!written) {
    reply = {Writing::failed, written.error()};
    attempt.problem = written.error().message;
  } else if (const auto* refusal = std::get_if<NotWarranted>(&*written)) {
    reply = {Writing::not_warranted, {ErrorCode::refused, refusal->reason}};
    attempt.problem = "not warranted: " + refusal->reason;
  } else {
    reply.state = Writing::written;
    attempt.draft = std::move(std::get<Draft>(*written));
  }
  if (m_phase == Phase::first) {
    settle_first_draft(number);
  } else if (has_draft(number)) {
    evaluate(number, m_cases.of(CasePart::train));
  }
  advance();
}

void Loop::evaluated(std::uint32_t id, Result<std::vector<EvalSample>> samples) {
  std::optional<Step> step = take_back(id, {Step::Kind::evaluate});
  if (!step) {
    return;
  }
  if (!samples) {
    warn("`" + m_options.students[step->student] + "` was not asked: " + samples.error().message);
  }
  m_samples.add(step->draft, step->student, suite(), step->cases, std::move(samples));
  if (m_phase == Phase::first && !step->draft) {
    settle_baseline();
  }
  advance();
}

void Loop::stop(std::string why) {
  if (!m_ending && !m_stop) {
    m_stop = std::move(why);
    m_queue.clear();
    advance();
  }
}

std::vector<Failure> Loop::failures_of(std::size_t draft) const {
  std::vector<Failure> failures;
  for (std::size_t number : m_cases.of(CasePart::train)) {
    for (std::size_t student = 0; student < m_options.students.size(); ++student) {
      for (const EvalSample& sample : m_samples.of(draft, student, number)) {
        if (sample.outcome != SampleOutcome::failed) {
          continue;
        }
        Failure& failure = failures.emplace_back();
        failure.case_id = sample.case_id;
        failure.input = suite().cases[number].input;
        failure.student = m_options.students[student];
        failure.output = sample.output;
        failure.passes_without = m_samples.rate(std::nullopt, student, number) == 1.0;
        for (const EvalCheckReport& check : sample.checks) {
          if (check.outcome == SampleOutcome::failed) {
            failure.checks.push_back(check.evidence.empty() ? check.name
                                                            : check.name + ": " + check.evidence);
          }
        }
      }
    }
  }
  return failures;
}

void Loop::push(Step step) {
  if (m_stop || m_is_closing || m_ending) {
    return;
  }
  step.id = ++m_last_id;
  m_planned_samples += step.cases.size() * m_options.runs;
  m_queue.push_back(std::move(step));
}

// One step for each student; none where there is nothing to ask.
void Loop::evaluate(LoopArm arm, const std::vector<std::size_t>& cases) {
  for (std::size_t i = 0; i < m_options.students.size() && !cases.empty(); ++i) {
    push({.kind = Step::Kind::evaluate, .draft = arm, .student = i, .cases = cases});
  }
}

// None where nobody waits for such a step.
std::optional<Step> Loop::take_back(std::uint32_t id, std::initializer_list<Step::Kind> kinds) {
  auto found = m_under_way.find(id);
  if (found == m_under_way.end() || std::ranges::find(kinds, found->second.kind) == kinds.end()) {
    return std::nullopt;
  }
  return m_under_way.extract(found).mapped();
}

bool Loop::is_waiting_for_baseline() const {
  return std::ranges::any_of(m_queue, is_baseline)
         || std::ranges::any_of(m_under_way,
                                [](const auto& one) { return is_baseline(one.second); });
}

bool Loop::has_draft(std::size_t attempt) const {
  return m_replies[attempt].state == Writing::written;
}

bool Loop::any_draft() const {
  return std::ranges::any_of(m_replies,
                             [](const Reply& reply) { return reply.state == Writing::written; });
}

void Loop::warn(std::string line) {
  if (m_warnings.size() < k_most_warnings) {
    m_warnings.push_back(std::move(line));
  }
}

// What is not under way need not begin. Which ending it is, is decided when all is back: of two
// that come true it must not be the one that happened to come first.
void Loop::close() {
  m_is_closing = true;
  m_queue.clear();
}

void Loop::advance() {
  if (m_ending || !m_under_way.empty() || !m_queue.empty()) {
    return;
  }
  switch (m_phase) {
  case Phase::first:
    decide_first();
    break;
  case Phase::looking:
    decide_look();
    break;
  case Phase::more_cases:
    decide_more_cases();
    break;
  case Phase::own_cases:
    decide_own_cases();
    break;
  case Phase::counterexamples:
    decide_counterexamples();
    break;
  case Phase::countering:
    refine();
    break;
  case Phase::refining:
    decide_refined();
    break;
  }
  if (!m_ending && m_queue.empty()) { // stopped: what was decided does not begin
    end({Ending::Kind::stopped});
  }
}

void Loop::settle_cases() {
  const std::size_t usable = m_cases.of(CasePart::written).size();
  if (usable < std::min(m_options.cases, 2 * m_options.least_held_out) && m_case_requests < 2) {
    ++m_case_requests;
    push({.kind = Step::Kind::write_cases, .count = m_options.cases - usable});
    return;
  }
  if (usable < m_options.least_held_out + k_least_train) {
    close();
    return;
  }
  if (usable < m_options.cases) {
    warn("it is tested by " + std::to_string(usable) + " cases: of the "
         + std::to_string(m_options.cases) + " that were asked for no more were written");
  }
  m_cases.split(m_options.least_held_out, m_options.seed);
  m_is_split = true;
  std::vector<std::size_t> both = m_cases.of(CasePart::train);
  std::ranges::copy(m_cases.of(CasePart::held_out), std::back_inserter(both));
  std::ranges::sort(both);
  evaluate(std::nullopt, both);
  for (std::size_t i = 0; i < m_attempts.size(); ++i) {
    if (has_draft(i)) {
      evaluate(i, m_cases.of(CasePart::train));
    }
  }
}

void Loop::settle_first_draft(std::size_t attempt) {
  const bool all_came = std::ranges::none_of(
      m_replies, [](const Reply& reply) { return reply.state == Writing::waiting; });
  if (all_came && !any_draft()) {
    close();
  } else if (has_draft(attempt) && m_is_split) {
    evaluate(attempt, m_cases.of(CasePart::train));
  }
}

void Loop::settle_baseline() {
  if (is_waiting_for_baseline()) {
    return;
  }
  if (m_samples.problem(std::nullopt, m_options.students, m_cases.of(CasePart::train))
      || m_samples.problem(std::nullopt, m_options.students, m_cases.of(CasePart::held_out))
      || needs_no_skill()) {
    close();
  }
}

bool Loop::needs_no_skill() const {
  for (CasePart part : {CasePart::train, CasePart::held_out}) {
    for (std::size_t number : m_cases.of(part)) {
      for (std::size_t student = 0; student < m_options.students.size(); ++student) {
        if (m_samples.rate(std::nullopt, student, number) != 1.0) {
          return false;
        }
      }
    }
  }
  return true;
}

} // namespace upskill::generate
