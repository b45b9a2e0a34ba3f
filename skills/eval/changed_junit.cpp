#include "skills/eval/changed_junit.h"

#include "protocol/base/utf8.h"
#include "skills/eval/markup.h"
#include "skills/eval/report_numbers.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace upskill::eval {
namespace {

constexpr std::size_t k_longest_message = 300; // bytes
constexpr std::size_t k_longest_text = 4096;
constexpr std::size_t k_large = std::size_t{16} * 1024 * 1024;

struct TestLine {
  std::string name = {};
  WatchVerdict verdict = WatchVerdict::ok;
  std::string type = {};
  std::string why = {};
};

std::string name_of(const WatchedSubject& subject) {
  std::string name = subject.model.empty() ? subject.student : subject.model;
  name += subject.student == "chat" || subject.model.empty() ? "" : " (" + subject.student + ")";
  return name + " " + std::string(enum_name(subject.measure));
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += (text.empty() ? "" : "\n") + line;
  }
  return text;
}

std::vector<TestLine> tests_of(const ChangedSkillReport& skill) {
  std::vector<TestLine> tests;
  for (const WatchedSubject& one : skill.subjects) {
    tests.push_back({name_of(one), one.verdict, std::string(enum_name(one.reason)), one.why});
  }
  if (skill.subjects.empty()) {
    tests.push_back({"all of it", skill.verdict, std::string(enum_name(skill.reason)), skill.why});
  }
  if (!skill.faults.empty()) {
    tests.push_back(
        {"is valid and not dangerous", WatchVerdict::regressed, "fault", joined(skill.faults)});
  }
  return tests;
}

struct Counts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t skipped = 0;

  void add(const std::vector<TestLine>& lines) {
    for (const TestLine& line : lines) {
      ++tests;
      failures += line.verdict == WatchVerdict::regressed ? 1 : 0;
      skipped += line.verdict == WatchVerdict::undecided ? 1 : 0;
    }
  }
};

class Writer {
public:
  std::string write(const EvalChangedResult& result) {
    Counts all;
    for (const ChangedSkillReport& skill : result.skills) {
      all.add(tests_of(skill));
    }
    m_xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";
    attribute("name", "skills changed since " + result.base);
    attributes(all);
    m_xml += ">\n";
    for (const ChangedSkillReport& skill : result.skills) {
      suite(result, skill);
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
    attribute("errors", "0");
    attribute("skipped", std::to_string(counts.skipped));
  }

  void property(std::string_view name, std::string_view value) {
    if (!value.empty()) {
      m_xml += "      <property";
      attribute("name", name);
      attribute("value", cut(value, k_longest_text));
      m_xml += "/>\n";
    }
  }

  void suite(const EvalChangedResult& result, const ChangedSkillReport& skill) {
    const std::vector<TestLine> tests = tests_of(skill);
    Counts counts;
    counts.add(tests);
    m_xml += "  <testsuite";
    attribute("name", skill.skill);
    attributes(counts);
    m_xml += ">\n    <properties>\n";
    property("path", skill.path);
    property("fate", enum_name(skill.fate));
    property("from", skill.from);
    property("base", result.commit);
    property("hash", skill.hash);
    property("base_hash", skill.base_hash);
    property("verdict", enum_name(skill.verdict));
    for (const WatchedSubject& one : skill.subjects) {
      rate(name_of(one) + " base rate", one.accepted_rate);
      rate(name_of(one) + " rate", one.rate ? std::optional(one.rate->value) : std::nullopt);
    }
    m_xml += "    </properties>\n";
    for (const TestLine& test : tests) {
      line(skill, test);
    }
    m_xml += "  </testsuite>\n";
  }

  void rate(std::string_view name, std::optional<double> value) {
    property(name, value ? as_decimal(*value, 4) : "");
  }

  void line(const ChangedSkillReport& skill, const TestLine& test) {
    m_xml += "    <testcase";
    attribute("name", test.name);
    attribute("classname", skill.skill);
    if (test.verdict == WatchVerdict::ok) {
      m_xml += "/>\n";
      return;
    }
    m_xml += ">\n      <";
    const std::string_view message = std::string_view(test.why).substr(0, test.why.find('\n'));
    if (test.verdict == WatchVerdict::undecided) {
      m_xml += "skipped";
      attribute("message", cut(message, k_longest_message));
      m_xml += "/>\n";
    } else {
      m_xml += "failure";
      attribute("message", cut(message, k_longest_message));
      attribute("type", test.type == "fault" ? "fault" : "REGRESSED");
      m_xml += '>';
      append_text(m_xml, m_xml.size() < k_large ? cut(test.why, k_longest_text) : "");
      m_xml += "</failure>\n";
    }
    m_xml += "    </testcase>\n";
  }

  static std::string cut(std::string_view text, std::size_t bytes) {
    std::string_view kept = utf8_prefix(text, bytes);
    return std::string(kept) + (kept.size() < text.size() ? "..." : "");
  }

  std::string m_xml;
};

} // namespace

std::string changed_junit(const EvalChangedResult& result) {
  return Writer().write(result);
}

} // namespace upskill::eval
