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

namespace {

// A round appends what to do in parentheses (skills/sync).
std::string_view without_hint(std::string_view warning) {
  std::size_t open = warning.ends_with(')') ? warning.find(" (") : std::string_view::npos;
  return warning.substr(0, open);
}

} // namespace

std::vector<Finding> Findings::take() {
  // What the daemon warns of is often what a check found too, and said better.
  auto is_told = [this](const Finding& warning) {
    return warning.check == k_daemon_check && std::ranges::any_of(m_all, [&](const Finding& other) {
             bool is_same = other.check == warning.check;
             return is_same
                        ? &other < &warning && other.message == warning.message
                        : other.message.find(without_hint(warning.message)) != std::string::npos;
           });
  };
  std::vector<Finding> told_once;
  std::ranges::remove_copy_if(m_all, std::back_inserter(told_once), is_told);
  m_all = std::move(told_once);
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
