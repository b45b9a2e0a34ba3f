#pragma once
#include "protocol/base/result.h"

#include <string>
#include <vector>

namespace upskill::connect {

// The one descriptor a detached child gets beside its standard ones.
inline constexpr int k_child_descriptor = 3;

struct ChildPlan {
  std::vector<std::string> words; // argv; the first is the program's absolute path
  std::string log = {};           // takes stdout and stderr; empty: stderr stays, stdout joins it
  int keep = -1;                  // becomes k_child_descriptor
};

// Starts a program that outlives us: double fork, session of its own, stdin from /dev/null, working
// directory `/`, usual signals, no other descriptor inherited. Fails where it cannot be executed.
Result<void> spawn_detached(const ChildPlan& plan);

} // namespace upskill::connect
