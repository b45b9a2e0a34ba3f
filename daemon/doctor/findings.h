#pragma once
#include "protocol/types/server.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::doctor {

inline constexpr std::size_t k_most_of_a_kind = 20;
// Of what the daemon itself warns of; left out where another check has it too.
inline constexpr std::string_view k_daemon_check = "daemon";

// Collects what is found, and only counts what is beyond k_most_of_a_kind of one kind: 1,000 broken
// skills are one problem.
class Findings {
public:
  void add(FindingLevel level, std::string_view check, std::string message, std::string hint = {});

  // Worst first, else in the order in which they came.
  std::vector<Finding> take();

private:
  std::vector<Finding> m_all;
  std::map<std::pair<FindingLevel, std::string>, std::size_t> m_counts;
};

} // namespace upskill::doctor
