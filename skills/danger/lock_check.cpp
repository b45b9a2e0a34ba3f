#include "protocol/base/hash.h"
#include "skills/danger/checks.h"
#include "skills/document/unicode.h"

#include <map>

namespace upskill::danger {
namespace {

constexpr Danger k_changed = {"lock-changed",
                              Severity::warning,
                              "is not what the lock file was written for",
                              "see what has changed, then install it anew or update the lock"};
constexpr Danger k_added = {"lock-added",
                            Severity::warning,
                            "is not in the lock file",
                            "see where it comes from, then install it anew or update the lock"};
constexpr Danger k_gone = {"lock-missing",
                           Severity::warning,
                           "is in the lock file and not in the skill",
                           "install the skill anew"};

} // namespace

void check_lock(const SkillFiles& files, const ScanOptions& options, Findings& findings) {
  if (options.locked.empty()) {
    return;
  }
  findings.begin_file();
  std::map<std::string_view, const SkillFile*> present;
  for (const SkillFile& file : files) {
    present.emplace(file.path, &file);
  }
  for (const LockedFile& locked : options.locked) {
    auto at = present.find(locked.path);
    if (at == present.end()) {
      findings.add_file(locked.path, k_gone, locked.sha256);
      continue;
    }
    std::string digest = sha256(at->second->bytes).hex();
    if (digest != document::fold_case(locked.sha256)) {
      findings.add_file(locked.path, k_changed, digest + " instead of " + locked.sha256);
    }
    present.erase(at);
  }
  for (const auto& [path, file] : present) {
    findings.add_file(path, k_added, sha256(file->bytes).hex());
  }
}

} // namespace upskill::danger
