#include "skills/eval/junit_report.h"

#include "protocol/base/utf8.h"
#include "skills/eval/markup.h"
#include "skills/eval/report_numbers.h"
#include "skills/eval/report_samples.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

namespace upskill::eval {
namespace {

constexpr std::size_t k_longest_message = 300; // bytes
constexpr std::size_t k_longest_output = 4096;
// From here on a problem has its message only: GitLab takes files of 30 MB.
constexpr std::size_t k_large = std::size_t{16} * 1024 * 1024;

struct Counts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::int64_t milliseconds = 0;
};

using Samples = std::vector<const EvalSample*>;

Samples with_skill(const EvalModelReport& model) {
  Samples samples;
  for (const ReportedCase& one : by_case(model)) {
    std::ranges::copy_if(one.samples, std::back_inserter(samples), [](const EvalSample* sample) {
      return sample->arm == EvalArm::with_skill;
    });
  }
  return samples;
}

void count(Counts& counts, const Samples& samples) {
  for (const EvalSample* sample : samples) {
    ++counts.tests;
    counts.failures += sample->outcome == SampleOutcome::failed ? 1 : 0;
    counts.errors += sample->outcome == SampleOutcome::error ? 1 : 0;
    counts.milliseconds += sample->milliseconds.value_or(0);
  }
}

// What ended it before its last sample is an error of its own: the samples that are there are
// whole.
void count(Counts& counts, const EvalResult& result) {
  std::size_t stopped = result.stopped.empty() ? 0 : 1;
  counts.tests += stopped;
  counts.errors += stopped;
}

class Writer {
public:
  std::string write(const EvalResult& result) {
    Counts all;
    std::vector<Samples> samples;
    for (const EvalModelReport& model : result.models) {
      samples.push_back(with_skill(model));
      count(all, samples.back());
      count(all, result);
    }
    m_xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";
    attribute("name", result.skill);
    attributes(all);
    m_xml += ">\n";
    for (std::size_t i = 0; i < samples.size(); ++i) {
      suite(result, result.models[i], samples[i]);
    }
    m_xml += "</testsuites>\n";
    return std::move(m_xml);
  }

private:
  void attribute(std::string_view name, std::string_view value) {
    m_xml += ' ';
    m_xml += name;
    m_xml += "=\"";
    append_attribute(m_xml, value);
    m_xml += '"';
  }

  void attributes(const Counts& counts) {
    attribute("tests", std::to_string(counts.tests));
    attribute("failures", std::to_string(counts.failures));
    attribute("errors", std::to_string(counts.errors));
    attribute("time", as_decimal(static_cast<double>(counts.milliseconds) / 1000, 3));
  }

  void property(std::string_view name, std::string_view value) {
    if (!value.empty()) {
      m_xml += "      <property";
      attribute("name", name);
      attribute("value", value);
      m_xml += "/>\n";
    }
  }

  void number(std::string_view name, std::optional<double> value) {
    property(name, value ? as_decimal(*value, 4) : "");
  }

  void suite(const EvalResult& result, const EvalModelReport& model, const Samples& samples) {
    Counts counts;
    count(counts, samples);
    count(counts, result);
    m_xml += "  <testsuite";
    attribute("name", result.skill + " with " + model.model);
    attributes(counts);
    attribute("skipped", "0");
    if (!result.started_at.empty()) {
      attribute("timestamp", result.started_at);
    }
    m_xml += ">\n    <properties>\n";
    properties(result, model);
    m_xml += "    </properties>\n";
    for (const EvalSample* sample : samples) {
      test(result, model, *sample);
    }
    if (!result.stopped.empty()) {
      m_xml += "    <testcase";
      attribute("name", "all samples");
      attribute("classname", result.skill + "." + model.model);
      m_xml += ">\n";
      problem("error", "stopped", result.stopped);
      m_xml += "    </testcase>\n";
    }
    m_xml += "  </testsuite>\n";
  }

  void properties(const EvalResult& result, const EvalModelReport& model) {
    property("skill", result.skill);
    property("hash", result.hash);
    property("evaluation", result.id);
    property("model", model.model);
    property("student", model.student);
    property("seed", std::to_string(result.seed));
    property("verdict", EnumNames<EvalVerdict>::names[static_cast<std::size_t>(model.verdict)]);
    property("reason", model.reason);
    number("rate_with_skill", model.with_skill.rate);
    number("rate_baseline", model.baseline ? model.baseline->rate : std::nullopt);
    if (model.lift) {
      number("lift", model.lift->value);
      number("lift_low", model.lift->low);
      number("lift_high", model.lift->high);
    }
    number("p_value", model.p_value);
    property("scripted", result.scripted ? "true" : "");
    property("stopped", result.stopped);
    property("failed", result.failed);
  }

  void test(const EvalResult& result, const EvalModelReport& model, const EvalSample& sample) {
    m_xml += "    <testcase";
    attribute("name", sample.case_id + " (run " + std::to_string(sample.run) + ")");
    attribute("classname", result.skill + "." + model.model);
    attribute("time", as_decimal(static_cast<double>(sample.milliseconds.value_or(0)) / 1000, 3));
    if (sample.outcome == SampleOutcome::passed) {
      m_xml += "/>\n";
      return;
    }
    m_xml += ">\n";
    if (sample.outcome == SampleOutcome::failed) {
      problem("failure", "checks", failed_checks(sample));
    } else {
      problem("error", "no outcome", sample.error.empty() ? "no outcome" : sample.error);
    }
    if (!sample.output.empty() && m_xml.size() < k_large) {
      m_xml += "      <system-out>";
      append_text(m_xml, cut(sample.output, k_longest_output));
      m_xml += "</system-out>\n";
    }
    m_xml += "    </testcase>\n";
  }

  void problem(std::string_view element, std::string_view type, std::string_view text) {
    m_xml.append("      <").append(element);
    attribute("message", cut(text.substr(0, text.find('\n')), k_longest_message));
    attribute("type", type);
    m_xml += '>';
    append_text(m_xml, m_xml.size() < k_large ? cut(text, k_longest_output) : "");
    m_xml.append("</").append(element).append(">\n");
  }

  static std::string failed_checks(const EvalSample& sample) {
    std::string text;
    for (const EvalCheckReport& check : sample.checks) {
      if (check.outcome != SampleOutcome::passed) {
        text += text.empty() ? "" : "\n";
        text += check.name + (check.outcome == SampleOutcome::error ? " (could not be told)" : "");
        text += check.evidence.empty() ? "" : ": " + check.evidence;
      }
    }
    return text.empty() ? "failed" : text;
  }

  static std::string cut(std::string_view text, std::size_t bytes) {
    std::string_view kept = utf8_prefix(text, bytes);
    return std::string(kept) + (kept.size() < text.size() ? "..." : "");
  }

  std::string m_xml;
};

} // namespace

std::string junit_report(const EvalResult& result) {
  return Writer().write(result);
}

} // namespace upskill::eval
