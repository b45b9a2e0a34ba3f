#include "skills/sync/setup.h"

#include "skills/library/names.h"

#include <algorithm>

namespace upskill::sync {

bool matches_pattern(std::string_view text, std::string_view pattern) {
  // Greedy with one place to go back to: linear in practice, never exponential.
  std::size_t at = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (at < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = at;
    } else if (p < pattern.size() && pattern[p] == text[at]) {
      ++p;
      ++at;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_no_skill(const ScopeSetup& setup, std::string_view name) {
  return name.empty() || name.front() == '.' || name.find('/') != std::string_view::npos
         || library::ignored_name(name)
         || std::ranges::any_of(setup.roots, [&](const RootSetup& root) {
              return std::ranges::find(root.never_touch, name) != root.never_touch.end();
            });
}

bool is_excluded(const ScopeSetup& setup, std::string_view skill) {
  return std::ranges::any_of(setup.exclude, [&](const std::string& rule) {
    return rule.find(':') == std::string::npos && matches_pattern(skill, rule);
  });
}

bool is_left_alone(const ScopeSetup& setup, RootIndex root, std::string_view skill) {
  bool has_readers = false;
  for (const AgentSetup& agent : setup.agents) {
    if (std::ranges::find(agent.reads, root) == agent.reads.end()) {
      continue;
    }
    has_readers = true;
    if (!is_excluded_for(setup, agent.id, skill)) {
      return false;
    }
  }
  return has_readers;
}

bool is_excluded_for(const ScopeSetup& setup, std::string_view agent, std::string_view skill) {
  return std::ranges::any_of(setup.exclude, [&](const std::string& rule) {
    std::size_t colon = rule.find(':');
    return colon != std::string::npos
           && matches_pattern(agent, std::string_view(rule).substr(0, colon))
           && matches_pattern(skill, std::string_view(rule).substr(colon + 1));
  });
}

} // namespace upskill::sync
