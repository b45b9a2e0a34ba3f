#pragma once
#include "daemon/sync/scene.h"
#include "daemon/watch/watch_types.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace upskill::daemon {

// A skill of a scope: the project's path, empty in the user's scope, and the name.
using SkillKey = std::pair<std::string, std::string>;

// What a list says of a skill as far as a look at its SKILL.md tells: its description cannot change
// without that file's time. The newest copy counts, as in the list.
struct ListedFile {
  std::int64_t mtime_ns = 0;
  std::int64_t size = 0; // 0: no copy has one that holds something, and the skill is not listed

  friend bool operator==(const ListedFile&, const ListedFile&) = default;
};

// Looks at the disk: two calls of stat for each copy.
std::map<SkillKey, ListedFile> look_at_listed(const Scene& scene, const std::set<SkillKey>& skills);

// Whether this may have changed what the list says: SKILL.md, or the whole folder. Only what is
// certain not to is left out.
bool may_change_list(const watch::Change& change);

// Tells whether the list differs from what it said before, so that clients read it anew only when
// there is news. Knows the skills that were touched once, and of those that were not only what it
// is told: a start that looked at all of them would cost more than the one needless reading of the
// list that this may cause. Neither does it go on for ever: whoever makes folders makes names.
// Owner: SyncService. Thread: the daemon's.
class ListMemory {
public:
  static constexpr std::size_t k_most = 10'000; // skills; beyond, all are forgotten

  bool knows(const SkillKey& skill) const { return m_files.contains(skill); }

  // How these skills were when nothing that counts had happened to them yet; those that are known
  // stay as they are.
  void remember(const std::map<SkillKey, ListedFile>& skills) {
    m_files.insert(skills.begin(), skills.end());
    stay_small();
  }

  // Whether one of them is not as it was, or was not known. From here on it is.
  bool update(const std::map<SkillKey, ListedFile>& skills);

  // Anything may have happened.
  void forget_all() { m_files.clear(); }

  std::size_t size() const { return m_files.size(); }

private:
  void stay_small() {
    if (m_files.size() > k_most) {
      forget_all();
    }
  }

  std::map<SkillKey, ListedFile> m_files;
};

} // namespace upskill::daemon
