#pragma once
#include "daemon/handlers/generate_request.h"
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "protocol/types/generate.h"
#include "skills/generate/draft.h"
#include "skills/generate/skill_meta.h"

#include <cstdint>
#include <optional>
#include <string>

namespace upskill::daemon {

struct Saved {
  std::string folder = {};
  std::string hash = {};
  std::string replaced = {}; // where the version before lies
};

// Writes a skill into its folder in one step; what was there is kept in the trash, and files that
// the draft does not have stay. Blocks. already_exists: something new is there; changed: the skill
// that was improved was edited meanwhile; and what the disk says.
Result<Saved> save(const generate::Draft& draft,
                   const generate::SkillMeta& meta,
                   const GenerateRequest& request,
                   const Places& places,
                   std::int64_t now_ms);

// Puts it where it waits for a person: an agent's words may be those of whoever wrote what it read.
Result<Saved> put_into_inbox(const generate::Draft& draft,
                             const generate::SkillMeta& meta,
                             const GenerateResult& result,
                             const Places& places,
                             std::int64_t now_ms);

} // namespace upskill::daemon
