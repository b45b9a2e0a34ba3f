#pragma once
#include "protocol/mcp/answer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

// Names for what a person has begun to type, whatever the case: those that begin with it come
// before those that have it somewhere, because nothing else comes to mind to somebody who types.
// Counts all that match and keeps as many as are sent.
class Matches {
public:
  explicit Matches(std::string_view typed);

  void offer(std::string_view name);

  mcp::Completion finish() &&;

private:
  std::string m_wanted;
  std::vector<std::string> m_begin = {};
  std::vector<std::string> m_within = {};
  std::int64_t m_total = 0;
};

} // namespace upskill::daemon
