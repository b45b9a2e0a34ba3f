#include "skills/eval/run_log.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <map>
#include <utility>

namespace upskill::eval {
namespace {

constexpr std::size_t k_max_error = 1000; // bytes of an error_message

// Sums over samples; unknown where one of them is.
template <class T> class Sum {
public:
  void add(std::optional<T> value) {
    m_sum = m_sum && value ? std::optional<T>(*m_sum + *value) : std::nullopt;
  }

  std::optional<T> of(std::int64_t samples) const {
    return samples > 0 ? m_sum : std::optional<T>();
  }

private:
  std::optional<T> m_sum = T{};
};

// One run while its samples are counted. Those without an outcome say nothing about what a run
// takes either.
struct Counting {
  std::int64_t passed = 0;
  std::int64_t scored = 0;
  std::int64_t errors = 0;
  std::string first_error = {};
  Sum<std::int64_t> milliseconds = {};
  Sum<std::int64_t> turns = {};
  Sum<std::int64_t> tool_calls = {};
  Sum<std::int64_t> input = {};
  Sum<std::int64_t> output = {};
  Sum<std::int64_t> total = {};

  void add(const EvalSample& sample) {
    if (sample.outcome == SampleOutcome::error) {
      ++errors;
      if (first_error.empty()) {
        first_error = "case `" + sample.case_id + "`: " + sample.error;
      }
      return;
    }
    ++scored;
    passed += sample.outcome == SampleOutcome::passed ? 1 : 0;
    milliseconds.add(sample.milliseconds);
    turns.add(sample.turns);
    tool_calls.add(sample.tool_calls);
    input.add(sample.tokens.input);
    output.add(sample.tokens.output);
    total.add(sample.tokens.total);
  }

  ConversationStats stats() const {
    ConversationStats out;
    if (auto span = milliseconds.of(scored)) {
      out.conversation_span_ms = static_cast<double>(*span);
    }
    out.turns = turns.of(scored);
    out.tool_calls = tool_calls.of(scored);
    out.input_tokens = input.of(scored);
    out.output_tokens = output.of(scored);
    out.total_tokens = total.of(scored);
    return out;
  }

  // Of `cases` and what ended the evaluation, if something did.
  std::string error_message(std::int64_t cases, const std::string& stopped) const {
    std::int64_t missing = std::max<std::int64_t>(cases - scored, errors);
    if (missing == 0) {
      return {};
    }
    std::string text = std::to_string(missing) + " of " + std::to_string(missing + scored)
                       + " cases have no outcome; " + (errors > 0 ? first_error : stopped);
    return to_valid_utf8(utf8_prefix(text, k_max_error));
  }
};

} // namespace

std::vector<RunResult> runs_of(const EvalResult& result,
                               const std::string& batch_id,
                               const std::string& timestamp,
                               const std::string& cases_hash) {
  std::vector<RunResult> runs;
  for (const EvalModelReport& model : result.models) {
    // The baseline is first: `false` is less than `true`.
    std::map<std::pair<std::int64_t, bool>, Counting> counted;
    for (const EvalSample& sample : model.samples) {
      counted[{sample.run, sample.arm == EvalArm::with_skill}].add(sample);
    }
    for (const auto& [key, counting] : counted) {
      RunResult& run = runs.emplace_back();
      run.metadata.model = model.model;
      run.metadata.task = result.skill;
      run.metadata.batch_id = batch_id;
      run.metadata.run_number = static_cast<std::int64_t>(runs.size());
      run.metadata.timestamp = timestamp;
      run.stats = counting.stats();
      if (model.student == "chat" && run.stats.conversation_span_ms) { // one answer, no tools
        run.stats.llm_time_ms = run.stats.conversation_span_ms;
        run.stats.tool_time_ms = 0;
      }
      run.assertions_passed = counting.passed;
      run.assertions_total = counting.scored;
      run.error_message = counting.error_message(result.cases, result.stopped);
      run.passed = run.error_message.empty() && counting.passed == counting.scored;
      run.arm = key.second ? EvalArm::with_skill : EvalArm::baseline;
      run.skill_name = result.skill;
      run.skill_hash = result.hash;
      run.cases_hash = cases_hash;
      run.student = model.student;
      run.against = result.against;
    }
  }
  return runs;
}

BatchSummary summarise_batch(const std::string& batch_id, std::vector<RunResult> runs) {
  BatchSummary summary;
  summary.batch_id = batch_id;
  std::vector<std::string> models;
  for (const RunResult& run : runs) {
    summary.task = run.metadata.task;
    summary.passed_runs += run.passed ? 1 : 0;
    if (std::ranges::find(models, run.metadata.model) == models.end()) {
      models.push_back(run.metadata.model);
      summary.model += (summary.model.empty() ? "" : ", ") + run.metadata.model;
    }
  }
  summary.total_runs = static_cast<std::int64_t>(runs.size());
  summary.results = std::move(runs);
  return summary;
}

} // namespace upskill::eval
