#pragma once
#include "protocol/types/skills.h"
#include "skills/document/links.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upskill::document {

// What is known of the folder round a SKILL.md; bytes and files of the whole skill, SKILL.md
// included.
struct SkillFolder {
  std::string_view name;
  PathExists exists = {}; // empty: file references are not checked
  std::size_t files = 1;
  std::uint64_t bytes = 0;
};

// Everything there is to say about a skill: `errors` in the reference validator's words and order,
// `warnings` that somebody can act on, what each loader does, and the estimated tokens. `path` is
// left to the caller. Pure but for `exists`. Linear in the file; at most some 600 warnings.
SkillValidation inspect(std::string_view bytes, const SkillFolder& folder);

} // namespace upskill::document
