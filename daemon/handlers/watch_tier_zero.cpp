#include "daemon/handlers/watch_tier_zero.h"

#include "daemon/handlers/skill_files.h"
#include "skills/danger/scan.h"
#include "skills/document/inspect.h"

#include <algorithm>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most = 20;             // sentences
constexpr std::size_t k_most_bytes = 8u << 20; // of all files that are scanned

void look_for_danger(int folder,
                     const WatchedVersion& version,
                     std::vector<std::string>& problems) {
  std::vector<std::string> texts;
  texts.reserve(version.files.size());
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
    if (finding.severity != danger::Severity::note) {
      problems.push_back(finding.message + " (`" + finding.path + "` line "
                         + std::to_string(finding.line) + ")");
    }
  }
}

} // namespace

std::vector<std::string> tier_zero(const SkillPlace& place, const WatchedVersion& version) {
  document::SkillFolder folder;
  folder.name = place.name;
  folder.files = version.files.size();
  folder.exists = [&](std::string_view path) {
    std::string below = std::string(path) + "/";
    return std::ranges::any_of(version.files, [&](const regression::ListedFile& file) {
      return file.path == path || file.path.starts_with(below);
    });
  };
  SkillValidation found = document::inspect(version.document, folder);
  std::vector<std::string> problems = std::move(found.errors);
  std::ranges::move(found.warnings, std::back_inserter(problems));
  if (Result<UniqueFd> opened = open_skill(place)) {
    look_for_danger(opened->get(), version, problems);
  }
  if (problems.size() > k_most) {
    problems.resize(k_most);
  }
  return problems;
}

} // namespace upskill::daemon
