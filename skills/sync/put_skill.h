#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "skills/store/trash.h"
#include "skills/sync/filesystem.h"
#include "skills/sync/new_version.h"

#include <cstdint>
#include <optional>
#include <string>

namespace upskill::sync {

struct PutOutcome {
  Digest hash = {};          // of what lies there now
  std::string replaced = {}; // the version before it, in the trash; empty: nothing was there
};

// Writes a whole skill into its own folder (absolute), and loses nothing: it is staged beside the
// target, read back, brought to the disk and swapped in with one rename; what was there goes to the
// trash. `content` is all of the version; what is no content (`.git`, caches) stays in the folder.
// `expected`: the hash of the version that is replaced; nothing: there must be nothing, or an empty
// folder. The folder above is made where it is not there. Killed at any moment, it leaves the old
// version or the new one; what is left beside a root that sync watches is what sync itself leaves.
// On an error the folder is as it was, unless the message says otherwise. Errors: already_exists,
// changed (not what was expected, also while it was written), refused (a link), invalid_argument
// (no skill, a path that leads out), too_large, permission, no_space, io.
Result<PutOutcome> put_skill(Filesystem& files,
                             store::Trash& trash,
                             const std::string& folder,
                             const NewFiles& content,
                             const std::optional<Digest>& expected,
                             std::int64_t now_ms);

inline constexpr std::uint64_t k_max_placed = 64u << 20; // bytes of one that is read

// Nothing where there is nothing, or an empty folder. Errors: as put_skill(); too_large over
// k_max_placed.
Result<std::optional<PlacedSkill>> read_placed(const std::string& folder);

} // namespace upskill::sync
