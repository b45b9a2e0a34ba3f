#pragma once
#include "daemon/short_list.h"
#include "protocol/types/skills.h"
#include "protocol/types/sync.h"

#include <cstddef>
#include <string>

// What an answer becomes that goes into a model's context: short, and saying how to get the rest.
// People and their scripts get all of it.
namespace upskill::daemon {

inline constexpr std::size_t k_listed_description = 200; // code points

// At most so many code points; what is cut ends in `…`.
void cut_text(std::string& text, std::size_t points);

void shorten(SkillSummary& skill);
void shorten(SkillValidateResult& result);
void shorten(SyncNowResult& result);

// `of_one_skill`: somebody named the skill, and wants to see what its versions hold.
enum class ConflictDetail { overview, of_one_skill };
void shorten(SyncConflictsResult& result, ConflictDetail detail);

} // namespace upskill::daemon
