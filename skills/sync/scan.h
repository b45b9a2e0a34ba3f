#pragma once
#include "protocol/base/result.h"
#include "skills/sync/tree.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::sync {

// What the stat calls over a skill's folder said, folded into 128 bits: names, kinds, inodes,
// sizes, times. Equal fingerprints mean that nothing was touched, so that a rescan reads no file.
// It is taken from ctime as well as mtime, because mtime can be set back.
struct Fingerprint {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  // All zero means: look again.
  bool is_known() const { return (low | high) != 0; }

  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

// What lies at one skill's place in one root.
enum class Presence : std::uint8_t {
  absent,
  copy,       // a folder with a SKILL.md that is not empty
  link,       // a link; where to is the engine's to judge
  incomplete, // a folder whose SKILL.md is missing or empty: being written, or damaged
  problem     // not to be read or not to be propagated; `problem` says why
};

struct StatResult {
  Presence presence = Presence::absent;
  Fingerprint fingerprint = {};
  std::int64_t newest_change_ns = 0; // newest mtime or ctime of a file, wall clock
  std::int64_t newest_mtime_ns = 0;
  std::string link_target = {}; // as it is written
  bool is_no_folder = false;    // nor a link to one: a note somebody left between the skills
  std::string problem = {};
};

// Names that library::ignored_in_skill() ignores are neither content nor looked at, but for their
// being listed in ReadResult::ignored.

// Looks at `name` in the open root without reading any file's bytes. A folder is a `copy` here
// whenever it has a file SKILL.md or skill.md of at least one byte.
StatResult stat_skill(int root_fd, std::string_view name);

struct ReadOptions {
  bool keep_contents = false;          // fill ReadResult::contents where they are small
  std::uint64_t keep_limit = 4u << 20; // bytes of a skill that count as small
  bool only_skills = false;            // a folder without a SKILL.md is only looked at
};

struct ReadResult {
  StatResult stat = {};
  Tree tree = {};
  // Parallel to the tree's entries when kept, else empty.
  std::vector<std::string> contents = {};
  // Parallel to the tree's entries: their permissions; and the skill's own.
  std::vector<mode_t> modes = {};
  mode_t folder_mode = 0;
  // Relative paths of ignored things, which stay in place when the folder is replaced.
  std::vector<std::string> ignored = {};
};

// Reads the whole skill and hashes it. What changes while it is read shows as a fingerprint that
// differs from the one before; the caller compares. Problems (unreadable, special files, links that
// leave the skill, colliding names, over the bounds of bounds.h) are in `stat.problem`, naming the
// path inside the skill.
ReadResult read_skill(int root_fd, std::string_view name, ReadOptions options);

// One file's bytes, refused unless they have the digest that the entry says (code `changed`).
Result<std::string> read_entry(int root_fd, std::string_view skill, const Entry& entry);

} // namespace upskill::sync
