#pragma once
#include "skills/danger/finding.h"
#include "skills/danger/skill_file.h"
#include "skills/redact/rule_set.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::danger {

inline constexpr std::size_t k_most_looked_at = 1u << 20; // bytes of one file, from its beginning
inline constexpr std::size_t k_most_in_all = 32u << 20;   // bytes of all files
inline constexpr std::size_t k_most_files = 2000;

// A skill that is there already, and where it came from.
struct KnownSkill {
  std::string name;
  std::string source;
  // skeleton_of(name), for who asks about many skills; empty: it is made when it is needed.
  std::string skeleton = {};
};

// What is left of a name when everything is gone that eyes pass over.
std::string skeleton_of(std::string_view name);

// What a lock file says about a file.
struct LockedFile {
  std::string path;
  std::string sha256; // 64 hexadecimal digits
};

struct ScanOptions {
  std::string source = {};                     // of this skill, in the words of `known`
  std::vector<KnownSkill> known = {};          // for names that look alike; at most 10,000
  std::vector<LockedFile> locked = {};         // empty: there is no lock
  std::optional<redact::RuleSet> secrets = {}; // one that is there already; else our own
};

// What is dangerous in a skill. Any bytes may come in. The time is linear in them; what was not
// looked at is told by a finding of its own. A skill of usual size takes about a millisecond.
DangerReport scan(const SkillFiles& files, const ScanOptions& options = {});

// Reads the rules, which the first scan would else do: time that may pass while something else is
// waited for.
void load_rules();

} // namespace upskill::danger
