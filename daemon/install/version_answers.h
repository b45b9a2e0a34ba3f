#pragma once
#include "protocol/types/danger.h"
#include "skills/danger/scan.h"
#include "skills/danger/widening.h"
#include "skills/sync/new_version.h"

#include <string>
#include <vector>

// From what is known of the files of a version to what is answered.
namespace upskill::daemon {

// They look at `files`, which must outlive them.
danger::SkillFiles scanned_files(const sync::NewFiles& files);

DangerSeverity severity_of(const danger::DangerReport& report);
std::vector<DangerFinding> findings_of(const danger::DangerReport& report);
std::vector<DangerGain> gains_of(const danger::Widening& widening);

struct VersionDifference {
  std::vector<std::string> changed = {}; // files: SKILL.md first, the others by path; at most 200
  std::string diff = {};                 // of all of them, at most 64 KiB
};

VersionDifference difference_of(const sync::NewFiles& before, const sync::NewFiles& after);

} // namespace upskill::daemon
