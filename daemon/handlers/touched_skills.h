#pragma once
#include "daemon/git/git_output.h"
#include "protocol/types/eval_changed.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::daemon {

// A skill with a file that was changed. Folders are relative to the repository; empty: all of it is
// one skill.
struct TouchedSkill {
  SkillFate fate = SkillFate::changed;
  std::string folder = {}; // of `removed`: where it was
  std::string from = {};   // at the base; of `added` empty, and says nothing

  friend bool operator==(const TouchedSkill&, const TouchedSkill&) = default;
};

// The skills that changes touch: a file belongs to the nearest folder above it that has a SKILL.md,
// now or at the base, `base` being all files of that. By folder, each once. `is_skill` tells
// whether a folder has one now; it is asked once for each folder. A skill was renamed where git
// says so of its SKILL.md, and the old folder is none any more.
std::vector<TouchedSkill>
touched_skills(const std::vector<git::FileChange>& changes,
               const std::vector<git::TreeFile>& base,
               const std::function<bool(const std::string& folder)>& is_skill);

// Those files of the base that lie in the skill.
std::vector<git::TreeFile> files_in(const std::vector<git::TreeFile>& base,
                                    std::string_view folder);

} // namespace upskill::daemon
