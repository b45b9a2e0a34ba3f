#pragma once
#include "skills/eval/case.h"

#include <optional>
#include <string>

namespace upskill::generate {

// What `skill_meta.json` says about a skill, under upskill's names. No word of a session.
struct SkillMeta {
  std::string generated_by = {}; // the teacher
  std::string generated_at = {}; // RFC 3339
  std::string source_task = {};
  std::optional<double> test_pass_rate = {}; // of held-out cases, with the skill
  eval::CaseSuite tests = {};
};

// Whether upskill's format can say all of a case: texts that must be there.
bool is_plain(const eval::Case& one);

// The file, for people to read and mend; of the tests those that are plain.
std::string write_skill_meta(const SkillMeta& meta);

} // namespace upskill::generate
