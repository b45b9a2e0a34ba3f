#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::watch {

// Names that nobody cares about (sync facts, rule 11): the rule itself lives in skills/library.
using IgnoreName = bool (*)(std::string_view name);

struct IgnoreRules {
  IgnoreName in_root = nullptr;  // for the direct children of a root
  IgnoreName in_skill = nullptr; // for everything below them
};

// A folder that holds skills as its direct children; it need not exist. `boundary` is a folder that
// it lies in, such as HOME: what is above that is expected to stay, and watched for its own loss
// only. Both absolute.
// A `sign` is no such folder: only whether something is there counts, and nothing below is watched.
struct WatchRoot {
  std::string path;
  std::string boundary;
  bool sign = false;
};

// Every report names a root by its place in the list that was given to watch().
inline constexpr std::uint32_t k_all_roots = UINT32_MAX;

enum class ChangeKind : std::uint8_t {
  created, // a file was made, and may still be open
  closed,  // a file that was open for writing was closed
  left,    // a file was renamed away
  arrived, // a file, or a whole skill folder, was renamed to here
  other
};

// Something below one skill is perhaps not what it was. Only a look at its content can tell.
struct Change {
  std::uint32_t root = 0;
  std::string skill; // name of the folder, or of a link to one
  ChangeKind kind = ChangeKind::other;
  std::uint32_t entry = 0;  // hash of the changed entry's name
  std::uint32_t cookie = 0; // joins `left` and `arrived` of one rename; else 0
  std::uint64_t order = 0;  // grows with every change of this process: "newest" means the largest
};

enum class RescanReason : std::uint8_t {
  appeared,   // the root exists now
  vanished,   // the root was removed, renamed or unmounted
  replaced,   // another folder, a link or a file stands at its path now
  overflow,   // events were lost: anything may have changed anywhere
  watch_limit // the root is not fully watched any more; it is polled from here on
};

struct Rescan {
  std::uint32_t root = k_all_roots;
  RescanReason reason = RescanReason::overflow;
};

// What one wake-up brought; everything in it happened before it was handed over.
struct Report {
  std::vector<Change> changes;
  std::vector<Rescan> rescans;

  bool empty() const { return changes.empty() && rescans.empty(); }
};

// Something a person can mend, said once.
struct Warning {
  std::string message;
  std::string hint;

  friend bool operator==(const Warning&, const Warning&) = default;
};

std::string_view to_string(RescanReason reason);

} // namespace upskill::watch
