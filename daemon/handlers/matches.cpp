#include "daemon/handlers/matches.h"

#include "daemon/handlers/text_search.h"
#include "protocol/base/mcp_bounds.h"
#include "skills/library/names.h"

#include <utility>

namespace upskill::daemon {

// No name is as long as k_max_query: what is cut off could not match either.
Matches::Matches(std::string_view typed)
    : m_wanted(library::folded_key(typed.substr(0, k_max_query))) {}

void Matches::offer(std::string_view name) {
  // Most do not match, and need no key.
  if (is_ascii(name) && !contains_folded(name, m_wanted)) {
    return;
  }
  std::size_t place = library::folded_key(name).find(m_wanted);
  if (place == std::string::npos) {
    return;
  }
  ++m_total;
  std::vector<std::string>& values = place == 0 ? m_begin : m_within;
  if (values.size() < k_max_completions) {
    values.emplace_back(name);
  }
}

mcp::Completion Matches::finish() && {
  mcp::Completion completion{std::move(m_begin), m_total};
  for (std::string& name : m_within) {
    if (completion.values.size() == k_max_completions) {
      break;
    }
    completion.values.push_back(std::move(name));
  }
  return completion;
}

} // namespace upskill::daemon
