#pragma once
#include "protocol/types/sync.h"
#include "skills/sync/setup.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace upskill::sync_test {

// Where the skills lie, and which roots somebody has taken away.
struct Layout {
  const sync::ScopeSetup& setup;
  std::vector<bool> away;

  std::size_t size() const { return setup.roots.size(); }

  const std::string& root(std::size_t i) const { return setup.roots[i].path; }

  std::string at(std::size_t i, const std::string& name) const { return root(i) + "/" + name; }

  std::optional<std::size_t> root_of(const std::string& path) const; // that directly holds it
};

// Whether sync has anything to do with a folder of this name.
bool takes_part(const std::string& name);

// Where the store keeps this version.
std::string object_path(const std::string& objects, const Digest& hash);

// The status against a recount of the disk.
void check_status(const SyncStatusResult& status,
                  const SyncConflictsResult& conflicts,
                  const Layout& layout);

// Everything is back and nothing is under way: all copies are equal, and every agent sees the skill
// unless its place is taken.
void check_agreement(const SyncStatusResult& status, const Layout& layout);

} // namespace upskill::sync_test
