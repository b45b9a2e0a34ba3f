#pragma once
#include "skills/store/objects.h"
#include "skills/sync/tree.h"

#include <cstddef>
#include <string>
#include <vector>

namespace upskill::sync {

// How one version of a skill differs from another, for a person.
struct VersionDiff {
  // Paths that are not the same in both: SKILL.md first, the others sorted; at most `max_paths`.
  std::vector<std::string> paths = {};
  std::size_t more = 0;  // paths that are left out
  std::string text = {}; // of the first path: a unified diff, or one sentence
};

struct VersionDiffLimits {
  std::size_t max_paths;
  std::size_t max_bytes; // of the text
};

// Both must be in the store; `from` is called winner in the text, `to` this. Errors: as of reading
// an object, corrupt when it is not that version.
Result<VersionDiff> diff_versions(const store::Objects& objects,
                                  const Digest& from,
                                  const Digest& to,
                                  const VersionDiffLimits& limits);

} // namespace upskill::sync
