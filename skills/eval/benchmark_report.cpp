#include "skills/eval/benchmark_report.h"

#include "skills/eval/report_numbers.h"
#include "skills/eval/report_samples.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

namespace upskill::eval {
namespace {

using Json = nlohmann::ordered_json; // the viewer takes the first configuration for the new one

Json or_null(auto value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  bool is_plain = end.ec == std::errc() && std::to_string(number) == text;
  return is_plain ? std::optional(number) : std::nullopt;
}

// Of one quantity over the runs of a configuration.
struct Statistics {
  std::size_t runs = 0;
  std::vector<double> values = {}; // of those that tell

  void add(std::optional<double> value) {
    ++runs;
    if (value) {
      values.push_back(*value);
    }
  }

  // Unknown where one of them does not tell.
  std::optional<double> mean() const {
    if (runs == 0 || values.size() < runs) {
      return std::nullopt;
    }
    double sum = 0;
    for (double value : values) {
      sum += value;
    }
    return sum / static_cast<double>(runs);
  }

  // All or nothing: the viewer cannot show an object whose mean is null.
  Json json() const {
    std::optional<double> middle = mean();
    if (!middle) {
      return nullptr;
    }
    double squares = 0;
    for (double value : values) {
      squares += (value - *middle) * (value - *middle);
    }
    double deviation = runs > 1 ? std::sqrt(squares / static_cast<double>(runs - 1)) : 0;
    auto [least, most] = std::ranges::minmax(values);
    return {{"mean", *middle}, {"stddev", deviation}, {"min", least}, {"max", most}};
  }
};

struct Summary {
  Statistics pass_rate = {};
  Statistics seconds = {};
  Statistics tokens = {};
};

Json json_of(const Summary& summary) {
  return {{"pass_rate", summary.pass_rate.json()},
          {"time_seconds", summary.seconds.json()},
          {"tokens", summary.tokens.json()}};
}

Json difference(const Statistics& with, const Statistics& without, int digits) {
  std::optional<double> one = with.mean();
  std::optional<double> other = without.mean();
  if (!one || !other) {
    return nullptr;
  }
  std::string text = as_decimal(*one - *other, digits);
  return text.starts_with('-') ? text : "+" + text;
}

class Benchmark {
public:
  Benchmark(const EvalResult& result, const EvalModelReport& model)
      : m_result(result)
      , m_model(model)
      , m_cases(by_case(model))
      , m_has_numbers(std::ranges::all_of(
            m_cases, [](const ReportedCase& one) { return whole_number(one.id).has_value(); })) {}

  Json json() {
    Json ids = Json::array();
    Json runs = Json::array();
    for (std::size_t i = 0; i < m_cases.size(); ++i) {
      // The viewer sorts ids as numbers, and shows the name.
      std::int64_t id =
          m_has_numbers ? *whole_number(m_cases[i].id) : static_cast<std::int64_t>(i) + 1;
      ids.push_back(id);
      for (const EvalSample* sample : m_cases[i].samples) {
        if (sample->outcome == SampleOutcome::error) {
          ++m_errors;
        } else {
          runs.push_back(run(*sample, id));
        }
      }
    }
    return {{"metadata", metadata(ids)},
            {"runs", runs},
            {"run_summary", summary()},
            {"notes", notes()}};
  }

private:
  const char* configuration(EvalArm arm) const {
    if (arm == EvalArm::with_skill) {
      return "with_skill";
    }
    return m_result.against.empty() ? "without_skill" : "old_skill";
  }

  Json metadata(const Json& ids) const {
    return {{"skill_name", m_result.skill},
            {"skill_path", nullptr},
            {"executor_model", m_model.model},
            {"analyzer_model", nullptr},
            {"timestamp", m_result.started_at},
            {"evals_run", ids},
            {"runs_per_configuration", m_result.runs}};
  }

  Json run(const EvalSample& sample, std::int64_t id) {
    Json expectations = Json::array();
    std::int64_t passed = 0;
    for (const EvalCheckReport& check : sample.checks) {
      if (check.outcome != SampleOutcome::error) { // neither passed nor failed: the viewer says -
        bool has_passed = check.outcome == SampleOutcome::passed;
        passed += has_passed ? 1 : 0;
        expectations.push_back(
            {{"text", check.name}, {"passed", has_passed}, {"evidence", check.evidence}});
      }
    }
    auto total = static_cast<std::int64_t>(expectations.size());
    if (total == 0) {
      passed = sample.outcome == SampleOutcome::passed ? 1 : 0;
      total = 1;
    }
    double rate = static_cast<double>(passed) / static_cast<double>(total);
    std::optional<double> seconds;
    if (sample.milliseconds) {
      seconds = static_cast<double>(*sample.milliseconds) / 1000;
    }
    Summary& summary = m_summaries[sample.arm];
    summary.pass_rate.add(rate);
    summary.seconds.add(seconds);
    summary.tokens.add(sample.tokens.total);
    return {{"eval_id", id},
            {"eval_name", sample.case_id},
            {"configuration", configuration(sample.arm)},
            {"run_number", sample.run},
            {"result",
             {{"pass_rate", rate},
              {"passed", passed},
              {"failed", total - passed},
              {"total", total},
              {"time_seconds", or_null(seconds)},
              {"tokens", or_null(sample.tokens.total)},
              {"tool_calls", or_null(sample.tool_calls)},
              {"errors", 0}}},
            {"expectations", expectations},
            {"notes", Json::array()}};
  }

  Json summary() {
    Summary& with = m_summaries[EvalArm::with_skill];
    Summary& without = m_summaries[EvalArm::baseline];
    Json json;
    json[configuration(EvalArm::with_skill)] = json_of(with);
    if (m_model.baseline || without.pass_rate.runs > 0) {
      json[configuration(EvalArm::baseline)] = json_of(without);
    }
    json["delta"] = {{"pass_rate", difference(with.pass_rate, without.pass_rate, 2)},
                     {"time_seconds", difference(with.seconds, without.seconds, 1)},
                     {"tokens", difference(with.tokens, without.tokens, 0)}};
    return json;
  }

  Json notes() const {
    Json notes = Json::array();
    if (m_result.scripted) {
      notes.push_back("scripted: a script answered in place of a model");
    }
    if (m_model.lift) {
      std::string verdict(EnumNames<EvalVerdict>::names[static_cast<std::size_t>(m_model.verdict)]);
      const EvalLift& lift = *m_model.lift;
      notes.push_back("verdict: " + verdict + ", lift in cases passed "
                      + as_lift(lift.value, lift.low, lift.high) + " (95 % interval)");
    }
    if (m_errors > 0) {
      notes.push_back(std::to_string(m_errors) + " samples without an outcome are left out");
    }
    for (const EvalModelReport& other : m_result.models) {
      if (&other != &m_model) {
        notes.push_back("not in this file: " + other.model);
      }
    }
    for (const std::string& warning : m_result.warnings) {
      notes.push_back(warning);
    }
    return notes;
  }

  const EvalResult& m_result;
  const EvalModelReport& m_model;
  std::vector<ReportedCase> m_cases;
  bool m_has_numbers;
  std::size_t m_errors = 0;
  std::map<EvalArm, Summary> m_summaries;
};

} // namespace

std::string benchmark_report(const EvalResult& result, std::size_t model) {
  const EvalModelReport nothing;
  const EvalModelReport& reported = model < result.models.size() ? result.models[model] : nothing;
  return Benchmark(result, reported).json().dump(2, ' ', false, Json::error_handler_t::replace)
         + "\n";
}

} // namespace upskill::eval
