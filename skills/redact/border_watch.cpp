#include "skills/redact/border_watch.h"

#include <algorithm>
#include <utility>

namespace upskill::redact {
namespace {

constexpr std::size_t k_end = 2 * k_max_overlap; // bytes of a text that are kept
constexpr std::size_t k_context = 256;           // and before a secret, which may name it

} // namespace

BorderWatch::BorderWatch(RuleSet rules)
    : m_guard(rules)
    , m_rules(std::move(rules)) {}

void BorderWatch::take(std::string_view text, const std::vector<Finding>& found) {
  if (m_met || text.empty()) {
    return;
  }
  for (const End& end : m_ends) {
    m_met = m_met || !m_guard.between(end.text, text, end.last).empty();
  }
  m_ends[m_next] = end_of(text, found);
  m_next = (m_next + 1) % k_texts;
}

BorderWatch::End BorderWatch::end_of(std::string_view text,
                                     const std::vector<Finding>& found) const {
  std::size_t begin = text.size() - std::min(text.size(), k_end);
  End end;
  for (const Finding& one : found) {
    bool is_definite = m_rules.rules()[one.rule].confidence == Confidence::definite;
    if (is_definite && (one.end == text.size() || one.is_open)) {
      begin = std::min(begin, one.begin - std::min(one.begin, k_context));
      end.last = {one.rule, one.begin - begin, text.size() - begin, one.is_open};
    }
  }
  end.text = text.substr(begin);
  return end;
}

} // namespace upskill::redact
