#include "skills/generate/loop_cases.h"

#include "skills/document/unicode.h"
#include "skills/eval/random.h"

#include <algorithm>

namespace upskill::generate {
namespace {

constexpr std::size_t k_most_warnings = 100;

std::string folded(const std::string& input) {
  return document::fold_case(document::strip(input));
}

} // namespace

void LoopCases::add_own(const eval::CaseSuite& own) {
  for (const eval::Case& one : own.cases) {
    m_inputs.insert(folded(one.input));
    m_ids.insert(one.id);
    m_suite.cases.push_back(one);
    m_parts.push_back(CasePart::own);
  }
}

std::vector<std::size_t>
LoopCases::add(const eval::CaseSuite& suite, CasePart part, std::size_t most) {
  std::vector<std::size_t> added;
  for (const eval::Case& one : suite.cases) {
    if (added.size() < most && m_inputs.insert(folded(one.input)).second) {
      added.push_back(m_suite.cases.size());
      m_suite.cases.push_back(one);
      m_suite.cases.back().id = free_id();
      m_parts.push_back(part);
    }
  }
  for (const std::string& warning : suite.warnings) {
    if (m_suite.warnings.size() < k_most_warnings) {
      m_suite.warnings.push_back(warning);
    }
  }
  return added;
}

void LoopCases::split(std::size_t least_held_out, std::uint64_t seed) {
  std::vector<std::size_t> written = of(CasePart::written);
  const std::size_t held_out = std::max(least_held_out, written.size() / 2);
  eval::Random random(seed);
  random.shuffle(written);
  for (std::size_t i = 0; i < written.size(); ++i) {
    m_parts[written[i]] = i < held_out ? CasePart::held_out : CasePart::train;
  }
}

std::vector<std::size_t> LoopCases::of(CasePart part) const {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < m_parts.size(); ++i) {
    if (m_parts[i] == part) {
      numbers.push_back(i);
    }
  }
  return numbers;
}

eval::CaseSuite LoopCases::some(const std::vector<std::size_t>& numbers) const {
  eval::CaseSuite suite;
  for (std::size_t number : numbers) {
    suite.cases.push_back(m_suite.cases[number]);
  }
  return suite;
}

std::vector<std::string> LoopCases::inputs() const {
  std::vector<std::string> inputs;
  for (const eval::Case& one : m_suite.cases) {
    inputs.push_back(one.input);
  }
  return inputs;
}

// Replies number their cases from 1, each of them anew.
std::string LoopCases::free_id() {
  std::string id;
  do {
    id = std::to_string(++m_last_id);
  } while (!m_ids.insert(id).second);
  return id;
}

} // namespace upskill::generate
