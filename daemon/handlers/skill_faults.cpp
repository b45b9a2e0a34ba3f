#include "daemon/handlers/skill_faults.h"

#include "daemon/handlers/skill_files.h"
#include "skills/danger/scan.h"
#include "skills/document/inspect.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most = 20;             // sentences
constexpr std::size_t k_most_bytes = 8u << 20; // of all files that are scanned

void add_dangers(int folder, const WatchedVersion& version, std::vector<SkillFault>& faults) {
  std::vector<std::string> texts;
  texts.reserve(version.files.size()); // the scan looks at them where they are
  danger::SkillFiles files;
  std::size_t bytes = 0;
  for (const regression::ListedFile& file : version.files) {
    Result<FilePart> part = read_part(folder, file.path, 0, danger::k_most_looked_at);
    if (part && bytes < k_most_bytes) {
      bytes += part->bytes.size();
      texts.push_back(std::move(part->bytes));
      files.push_back({file.path, texts.back(), file.executable});
    }
  }
  for (const danger::Finding& finding : danger::scan(files).findings) {
    if (finding.severity == danger::Severity::severe) {
      faults.push_back({finding.id + "\n" + finding.path,
                        finding.message + " (`" + finding.path + "` line "
                            + std::to_string(finding.line) + ")"});
    }
  }
}

} // namespace

std::vector<SkillFault> faults_of(const SkillPlace& place, const WatchedVersion& version) {
  document::SkillFolder folder;
  folder.name = place.name;
  folder.files = version.files.size();
  std::vector<SkillFault> faults;
  for (std::string& error : document::inspect(version.document, folder).errors) {
    faults.push_back({error, "it is not valid: " + error});
  }
  if (Result<UniqueFd> opened = open_skill(place)) {
    add_dangers(opened->get(), version, faults);
  }
  return faults;
}

std::vector<std::string> new_faults(const std::vector<SkillFault>& before,
                                    const std::vector<SkillFault>& now) {
  std::vector<std::string> texts;
  for (const SkillFault& fault : now) {
    const bool is_new = std::ranges::find(before, fault.key, &SkillFault::key) == before.end();
    if (is_new && texts.size() < k_most) {
      texts.push_back(fault.text);
    }
  }
  return texts;
}

} // namespace upskill::daemon
