#pragma once
#include "protocol/base/result.h"
#include "skills/store/trash_origin.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill::store {

struct TrashItem {
  std::string name;        // `<UTC time>-<skill>-<n>`
  std::string folder;      // holds `content` and `origin.json`
  TrashOrigin origin;      // where origin.json does not parse: time and skill by the name, no path
  bool has_content = true; // false: what an interrupted move or purge left

  std::string content() const { return folder + "/content"; }
};

// Decisions: 30 days or 1 GiB.
struct TrashLimits {
  std::int64_t age_ms = 30LL * 24 * 3600 * 1000;
  std::uint64_t bytes = 1ULL << 30;
};

struct Purged {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;
  std::vector<Error> problems = {}; // items that could not be measured or removed; the others were
};

// Folders that were taken away, whole and readable without us. Time is a parameter. Links are never
// followed. Nothing in the folder that we did not put there is touched.
class Trash {
public:
  // `folder` is made (0700) when something is first taken.
  explicit Trash(std::string folder, const TrashLimits& limits = {})
      : m_folder(std::move(folder))
      , m_limits(limits) {}

  // Moves what is at origin.path (a folder, a link, a file) here: one rename on the same file
  // system, else copied, synced, compared and removed. On failure it is where it was, except
  // that a copy whose original could not be removed stays, whole. changed: it was written to while
  // it was copied. What makes the trash larger than its limit sends the oldest away, never itself.
  Result<TrashItem> take(const TrashOrigin& origin);
  // The same for what lies elsewhere than where it was: a displaced tree beside its root.
  Result<TrashItem> take(const std::string& from, const TrashOrigin& origin);
  // Oldest first; without folders that are not ours.
  Result<std::vector<TrashItem>> list() const;
  // Removes what is older than the limit, then the oldest until the rest fits; the newest item is
  // never removed for its size.
  Result<Purged> purge(std::int64_t now_ms);

private:
  Result<Purged> shrink(std::int64_t now_ms, const TrashLimits& limits, const std::string& keep);
  void mind_size(const TrashItem& taken);

  std::string m_folder;
  TrashLimits m_limits;
  std::optional<std::uint64_t> m_bytes = {}; // in the trash; nothing: never measured
};

} // namespace upskill::store
