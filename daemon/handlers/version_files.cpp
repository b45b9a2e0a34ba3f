#include "daemon/handlers/version_files.h"

#include "daemon/handlers/skill_files.h"
#include "skills/danger/scan.h"

#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_bytes = 8u << 20; // of all files

} // namespace

VersionFiles read_files(const SkillPlace& place, const WatchedVersion& version) {
  VersionFiles read;
  Result<UniqueFd> folder = open_skill(place);
  if (!folder) {
    return read;
  }
  read.texts.reserve(version.files.size()); // so that none of them moves
  std::size_t bytes = 0;
  for (const regression::ListedFile& file : version.files) {
    Result<FilePart> part = read_part(folder->get(), file.path, 0, danger::k_most_looked_at);
    if (part && bytes < k_most_bytes) {
      bytes += part->bytes.size();
      read.texts.push_back(std::move(part->bytes));
      read.files.push_back({file.path, read.texts.back(), file.executable});
    }
  }
  return read;
}

} // namespace upskill::daemon
