#include "daemon/handlers/skill_faults.h"

#include "daemon/handlers/version_files.h"
#include "skills/danger/scan.h"
#include "skills/document/inspect.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most = 20; // sentences

} // namespace

std::vector<SkillFault> faults_of(const SkillPlace& place, const WatchedVersion& version) {
  document::SkillFolder folder;
  folder.name = place.name;
  folder.files = version.files.size();
  std::vector<SkillFault> faults;
  for (std::string& error : document::inspect(version.document, folder).errors) {
    faults.push_back({error, "it is not valid: " + error});
  }
  const VersionFiles read = read_files(place, version);
  for (const danger::Finding& finding : danger::scan(read.files).findings) {
    if (finding.severity == danger::Severity::severe) {
      faults.push_back({finding.id + "\n" + finding.path,
                        finding.message + " (`" + finding.path + "` line "
                            + std::to_string(finding.line) + ")"});
    }
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
