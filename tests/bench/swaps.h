#pragma once
#include "protocol/base/unique_fd.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace upskill::bench {

// Sees folders being moved into place in some roots.
class Swaps {
public:
  explicit Swaps(const std::vector<std::string>& roots);

  // Waits until `name` has been moved into place in every root; the time of the last.
  std::int64_t wait_ns(const std::string& name) { return wait_all_ns({name}); }

  // The same of each of them.
  std::int64_t wait_all_ns(const std::set<std::string>& names);

private:
  UniqueFd m_inotify;
  std::vector<int> m_watches;
};

} // namespace upskill::bench
