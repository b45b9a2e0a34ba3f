#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"
#include "skills/store/objects.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upskill::store {

struct KeptVersions {
  std::string folder;              // `<UTC time>-<skill>-<n>`, with a README.txt
  std::vector<std::string> stored; // one folder for each version, in the order given
};

// The losing versions of a conflict as folders a person can read, outside every root, so that no
// agent loads them. They stay until a person removes them, or the daemon a while after a person
// settled the conflict.
class ConflictFolders {
public:
  // `folder` is made (0700) when something is first kept.
  explicit ConflictFolders(std::string folder)
      : m_folder(std::move(folder)) {}

  // Extracts `losers` from the store; all or nothing. `reason` is a sentence for README.txt.
  Result<KeptVersions> keep(const Objects& objects,
                            std::span<const Digest> losers,
                            const std::string& skill,
                            const std::string& reason,
                            std::int64_t time_ms);
  // Removes a folder that keep() gave; not_found when it is not one of these.
  Result<void> remove(const std::string& folder);

private:
  std::string m_folder;
};

} // namespace upskill::store
