#pragma once
#include "protocol/base/result.h"
#include "skills/sync/copy_modes.h"
#include "skills/sync/filesystem.h"
#include "skills/sync/scan.h"
#include "skills/sync/tree.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::sync {

// The bytes of the tree's entry at this index (a file). They have the digest that it says.
using EntryBytes = std::function<Result<std::string>(std::size_t index)>;

// A finished copy that lies beside its root and was read back.
struct StagedCopy {
  std::string path; // where it lies now
  Digest hash = {}; // of what was written; a link has none
};

// What lay at the target when the decision was made; nothing: no copy.
struct ExpectedCopy {
  Digest hash = {};
  Fingerprint fingerprint = {};
};

// What a swap took out of a root: it stays for at least 60 s, for readers that hold it open.
struct Displaced {
  std::string path;
  Digest hash = {};
};

// Writes whole skills beside a root and swaps them in, one rename each (sync facts, rule 5). The
// folder is `.upskill-stage` beside the root, or, where that is another file system or may not be
// written, a dot folder of that name inside the root, which no agent lists.
class Stager {
public:
  explicit Stager(Filesystem& files)
      : m_files(files) {}

  static constexpr std::string_view k_folder_name = ".upskill-stage";

  // Stage folders are looked at once in a round: they may have gone with what lies around a root.
  void begin_round();

  // Writes the tree and reads it back: bytes, what is a program, and names that some file systems
  // store as others. The copy it left on a failure is removed again.
  Result<StagedCopy> stage(const std::string& root,
                           const std::string& skill,
                           const Tree& tree,
                           const CopyModes& modes,
                           const EntryBytes& bytes_of);
  // The same in two steps: a folder of its own, and what lies in it. The second, of different
  // folders, may be on several threads.
  Result<std::string>
  stage_folder(const std::string& root, const std::string& skill, const CopyModes& modes);
  Result<void> fill(const std::string& path,
                    const Tree& tree,
                    const CopyModes& modes,
                    const EntryBytes& bytes_of) const;
  Result<StagedCopy>
  stage_link(const std::string& root, const std::string& skill, const std::string& target);

  // Puts the staged copy in place. With an expected copy: swaps, then hashes what came out; an edit
  // that slipped in between is swapped back and the call fails with `changed`. Without: `changed`
  // when something has appeared there. Ignored things of the old folder move to the new one.
  Result<std::optional<Displaced>> swap_in(const std::string& root,
                                           const std::string& skill,
                                           const StagedCopy& staged,
                                           const std::optional<ExpectedCopy>& expected);
  // Takes a copy out of its root; `changed` when it is not what was expected, and then it is back.
  Result<Displaced>
  take_out(const std::string& root, const std::string& skill, const ExpectedCopy& expected);
  // Takes a link out; `changed` when there is none.
  Result<void> remove_link(const std::string& root, const std::string& skill);

  // Tries again to put back what had to be moved aside and could not be moved back.
  void put_back();
  // Whether something of this root still waits for that: then nothing that is missing in it may
  // count as deleted.
  bool is_missing_some(std::string_view root) const;
  // Whether a leftover was the copy in place when the run was interrupted.
  static bool is_aside(std::string_view path);
  // Moves ignored things of a displaced folder to the one that took its place.
  void carry_ignored(const std::string& from, const std::string& to, const ReadResult& displaced);

  // What an interrupted run left beside this root: (path, name of the skill).
  std::vector<std::pair<std::string, std::string>> leftovers(const std::string& root);
  // Removes the stage folder when it is empty.
  void tidy(const std::string& root);
  // Everything staged so far reaches the disk (power loss must not leave half a copy in place).
  Result<void> sync();

private:
  static constexpr std::string_view k_aside = "-old"; // `<n>-old.<skill>`

  struct Aside {
    std::string path;
    std::string target;
  };

  Result<std::string> folder_of(const std::string& root);
  void count_on_from(const std::string& folder);
  void hide_from_git(const std::string& folder);
  Result<std::string> fresh_path(const std::string& root, const std::string& skill);
  Result<std::string> fresh_folder(const std::string& root, const std::string& skill, mode_t mode);
  Result<void> write(const std::string& path,
                     const Tree& tree,
                     const CopyModes& modes,
                     const EntryBytes& bytes_of) const;
  Result<void> exchange(const std::string& staged, const std::string& target);
  ReadResult read(const std::string& path) const;

  Filesystem& m_files;

  struct StageFolder {
    std::string path;
    bool checked = false; // in this round
  };

  std::map<std::string, StageFolder, std::less<>> m_folders; // by root
  std::set<std::string> m_unsynced; // roots below which something was written
  std::vector<Aside> m_asides;
  std::uint64_t m_sequence = 0;
};

} // namespace upskill::sync
