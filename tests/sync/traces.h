#pragma once
#include "protocol/base/unique_fd.h"

#include <map>
#include <string>
#include <vector>

namespace upskill::sync_test {

// Counts the traces that the daemon leaves on the disk while it works: that something was staged,
// swapped, kept or recorded is a fact, at which it can be killed.
class Traces {
public:
  // Entries that come, go or are written in these folders, and in their folders `.upskill-stage`,
  // which may come to be later.
  explicit Traces(const std::vector<std::string>& folders);

  // Returns after that many traces, or as soon as `other` can be read.
  void wait_for(int count, int other);

private:
  void watch(const std::string& folder);
  int read_some();

  UniqueFd m_fd;
  std::map<int, std::string> m_folders;
};

} // namespace upskill::sync_test
