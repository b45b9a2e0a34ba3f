#pragma once
#include "skills/store/objects.h"
#include "skills/sync/tree.h"

#include <cstddef>
#include <functional>
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

// A version to be compared: what is in it, and the bytes of each file.
struct VersionContent {
  Tree tree;
  std::function<Result<std::string>(const Entry& file)> bytes_of;
};

// One that is in the store, which must outlive it. Errors: as of reading an object, corrupt when it
// is not that version.
Result<VersionContent> kept_version(const store::Objects& objects, const Digest& hash);

// `from` is called winner in the text, `to` this. Errors: as of reading what is compared.
Result<VersionDiff> diff_versions(const VersionContent& from,
                                  const VersionContent& to,
                                  const VersionDiffLimits& limits);

} // namespace upskill::sync
