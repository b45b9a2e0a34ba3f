#include "daemon/doctor/findings.h"

#include <algorithm>
#include <iterator>

namespace upskill::doctor {

void Findings::add(FindingLevel level,
                   std::string_view check,
                   std::string message,
                   std::string hint) {
  std::size_t& count = m_counts[{level, std::string(check)}];
  if (++count <= k_most_of_a_kind) {
    m_all.push_back({level, std::string(check), std::move(message), std::move(hint)});
  }
}

std::vector<Finding> Findings::take() {
  for (const auto& [kind, count] : m_counts) {
    if (count > k_most_of_a_kind) {
      m_all.push_back({kind.first,
                       kind.second,
                       std::to_string(count - k_most_of_a_kind) + " more of this kind",
                       "mend those above and look again"});
    }
  }
  std::vector<Finding> sorted;
  for (FindingLevel level : {FindingLevel::error, FindingLevel::warning, FindingLevel::info}) {
    std::ranges::copy_if(m_all, std::back_inserter(sorted), [level](const Finding& finding) {
      return finding.level == level;
    });
  }
  return sorted;
}

} // namespace upskill::doctor
