#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace upskill::sync {

// What was known of a root when its skills were last in agreement.
struct RootRecord {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::size_t agreed = 0; // skills it held
  bool emptied = false;   // it lost all of them, and not all have come back since
};

// What a look at its path says now.
struct RootProbe {
  bool exists = false;
  bool is_folder = false; // a real folder, not a link to one
  bool readable = false;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

enum class RootHealth {
  ok,
  absent,   // never held anything: may be made when a copy is wanted there
  replaced, // another folder at the same path: what was agreed there no longer holds
  halted    // a person must look; nothing is read, written or concluded
};

struct RootJudgement {
  RootHealth health = RootHealth::ok;
  std::string reason = {};
  std::string hint = {};
};

// Derived afresh each time, so that a root that comes back needs no reset (sync facts, section 5,
// rule 3; Mutagen's halt conditions).
RootJudgement judge_root(const std::string& path, const RootRecord& record, const RootProbe& probe);

// `present` of the record's agreed skills are there: losing all of at least two halts, and what
// comes back piece by piece is halted until all of it is there, or the rest would look deleted.
bool is_emptied(const RootRecord& record, std::size_t present);

RootProbe probe_root(const std::string& path);

// The `.git` folder of the repository that encloses this path; empty where there is none. Follows a
// `.git` file (worktrees, submodules).
std::string enclosing_git_folder(const std::string& path);
// What git is in the middle of (`a merge`, `a rebase`, ...); empty when nothing is under way.
std::string git_operation(const std::string& git_folder);
// Whether git writes to the work tree of this path just now, as a checkout does: it holds the lock
// of the index meanwhile. One that was killed leaves it behind.
bool is_git_writing(const std::string& path);

} // namespace upskill::sync
