#include "daemon/evals/sample_drawer.h"

#include "daemon/await.h"
#include "daemon/runtime/offload.h"
#include "protocol/base/utf8.h"
#include "skills/eval/grade.h"

#include <algorithm>
#include <utility>

namespace upskill::evals {
namespace {

constexpr std::size_t k_kept_output = 64u << 10;     // bytes of an answer that a report holds,
constexpr std::size_t k_quickly_graded = 256u << 10; // bytes of an answer times checks
constexpr std::size_t k_kept_at_least = 1u << 10;
constexpr std::size_t k_kept_in_all = 64u
                                      << 20; // and of all answers, as long as that leaves so much

EvalTokens tokens_of(const models::Usage& usage) {
  EvalTokens tokens;
  tokens.output = usage.output;
  if (usage.input) {
    tokens.cached = usage.cache_read;
    tokens.input = *usage.input + usage.cache_read.value_or(0) + usage.cache_write.value_or(0);
  }
  if (tokens.input && tokens.output) {
    tokens.total = *tokens.input + *tokens.output;
  }
  return tokens;
}

SampleOutcome outcome_of(eval::CheckVerdict verdict) {
  switch (verdict) {
  case eval::CheckVerdict::passed:
    return SampleOutcome::passed;
  case eval::CheckVerdict::failed:
    return SampleOutcome::failed;
  case eval::CheckVerdict::unknown:
    break;
  }
  return SampleOutcome::error;
}

// What kept a case from being graded: the first check that could not be told.
std::string why_unknown(const std::vector<eval::CheckResult>& checks) {
  for (const eval::CheckResult& check : checks) {
    if (check.verdict == eval::CheckVerdict::unknown) {
      return check.name + ": " + check.evidence;
    }
  }
  return "its checks could not be told";
}

// Of each answer of so many.
std::size_t kept_of(std::size_t samples) {
  return std::clamp(
      k_kept_in_all / std::max<std::size_t>(samples, 1), k_kept_at_least, k_kept_output);
}

bool has_schema(const std::vector<eval::Check>& checks) {
  return std::ranges::any_of(checks, [](const eval::Check& check) {
    return check.kind == eval::CheckKind::json_schema || has_schema(check.parts);
  });
}

// Whether grading may keep others waiting. A hop to the pool costs more than grading what is usual.
bool takes_long(const eval::Case& one, const eval::Observation& observation) {
  return observation.answer.size() * one.checks.size() > k_quickly_graded || has_schema(one.checks);
}

void tell(EvalSample& sample, students::Work work, eval::Grade grade, std::size_t kept) {
  sample.outcome = outcome_of(grade.verdict);
  if (sample.outcome == SampleOutcome::error) {
    sample.error = why_unknown(grade.checks);
  }
  for (eval::CheckResult& check : grade.checks) {
    sample.checks.push_back(
        {std::move(check.name), outcome_of(check.verdict), std::move(check.evidence)});
  }
  std::string output = to_valid_utf8(work.observation.answer); // first: it may grow
  sample.output = utf8_prefix(output, kept);
  sample.tokens = tokens_of(work.usage);
  sample.cost = work.cost;
  sample.milliseconds = work.milliseconds;
  sample.turns = work.turns;
  sample.tool_calls = work.tool_calls;
  sample.answered_by = std::move(work.model);
  sample.cached = work.cached;
  if (work.requests) {
    sample.requests = work.requests;
    sample.skill_described = work.skills_described.contains(work.observation.skill);
    sample.skill_read = work.skills_read.contains(work.observation.skill);
  }
  if (work.observation.skills_used) {
    sample.skill_used = work.observation.skills_used->contains(work.observation.skill);
  }
}

} // namespace

SampleDrawer::SampleDrawer(const eval::CaseSuite& suite,
                           students::Student& student,
                           DrawOptions options)
    : m_suite(suite)
    , m_student(student)
    , m_options(std::move(options)) {}

asio::awaitable<EvalSample> SampleDrawer::draw(eval::PlannedSample planned) {
  const eval::Case& asked = m_suite.cases[planned.case_number];
  eval::Case untriggered;
  bool is_both = asked.should_trigger && !asked.checks.empty();
  if (is_both) { // whether the skill was picked is told apart from what came of it
    untriggered = asked;
    untriggered.should_trigger.reset();
  }
  const eval::Case& one = is_both ? untriggered : asked;
  EvalSample sample;
  sample.case_id = one.id;
  sample.arm = planned.arm;
  sample.run = planned.run;
  students::Task task;
  task.input = one.input;
  task.files = one.context_files;
  task.arm = planned.arm;
  task.sample = planned.run;
  AWAIT(Result<students::Work> work, m_student.work(std::move(task)));
  if (!work) {
    sample.error = work.error().message;
    if (!m_first_error) {
      m_first_error = std::move(work).error();
    }
    co_return sample;
  }
  work->observation.skill = m_options.skill;
  eval::Needs needs = eval::external_needs(one);
  for (Gatherer* gatherer : m_options.gatherers) {
    AWAIT_DONE(gatherer->gather(one, needs, *work));
  }
  eval::Grade grade;
  if (m_options.pool && takes_long(one, work->observation)) {
    auto job = [&one, &work] { return eval::grade(one, work->observation); };
    AWAIT(grade, runtime::offload(*m_options.pool, std::move(job)));
  } else {
    grade = eval::grade(one, work->observation);
  }
  tell(sample, std::move(*work), std::move(grade), kept_of(m_options.samples));
  if (sample.outcome == SampleOutcome::error && m_first_ungraded.empty()) {
    m_first_ungraded = "case `" + sample.case_id + "`: " + sample.error;
  }
  co_return sample;
}

} // namespace upskill::evals
