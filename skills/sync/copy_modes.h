#pragma once
#include "skills/sync/tree.h"

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upskill::sync {

// Who else may read a copy that is written. Modes are no content (but for what is a program), so a
// copy is given what the umask leaves of 0755 and 0644, and to group and others no more than they
// have of the copies it is made after: file by file, what is not there by the skill's folder.
class CopyModes {
public:
  // Looks at the disk: two calls for each copy and one for each of its entries. `copies` are
  // folders of the skill; those that are none are passed over.
  CopyModes(const std::vector<std::string>& copies, const Tree& tree);

  // Where there is no copy, the folder of the root counts for everything.
  static CopyModes of_root(const std::string& root, const Tree& tree);

  bool has_copy() const { return m_has_copy; }

  mode_t folder() const { return m_folder; } // of the skill itself

  mode_t of(std::size_t entry) const { return m_entries[entry]; } // by its index in the tree

private:
  explicit CopyModes(const Tree& tree);

  void restrict_to(const std::string& copy, const Tree& tree, bool each_entry);

  mode_t m_folder = 0755;
  std::vector<mode_t> m_entries;
  bool m_has_copy = false;
};

// Finds what a copy is made after: the copy that it replaces or, for a new one, those in the other
// roots of its scope. The roots of a scope get theirs one after the other, so that the last answer
// mostly serves for the next.
// Owner: Stager.
class CopyModesLookup {
public:
  void set_scopes(std::vector<std::vector<std::string>> scopes) {
    m_scopes = std::move(scopes); // the roots of each
    forget();
  }

  void forget() { m_last.reset(); }

  // Good until the next call.
  const CopyModes& of(const std::string& root, const std::string& skill, const Tree& tree);

private:
  struct Last {
    const std::vector<std::string>* scope = nullptr; // nothing: good for no other root
    std::string skill;
    Digest tree;
    CopyModes modes;
  };

  const std::vector<std::string>* scope_of(const std::string& root) const;

  std::vector<std::vector<std::string>> m_scopes;
  std::optional<Last> m_last;
};

} // namespace upskill::sync
