#pragma once
#include "skills/trace/event.h"

#include <string_view>

// What texts of Claude Code's user records are, when no other mark tells (facts: traces.md, 1.1:
// most of them are no person's).
namespace upskill::trace {

// `raw`: as it stands in its JSON string. `prompt` where nothing says otherwise.
EventForm form_of_claude_text(std::string_view raw);

// The name of the skill whose text this is: the last folder of `Base directory for this skill: X`.
std::string_view claude_skill_of(std::string_view raw);

// `Exit code N` at the start of a result.
std::optional<std::int32_t> claude_exit_code(std::string_view raw);

// What a meta record of this type is; unknown where nobody knows it.
EventForm form_of_claude_type(std::string_view type, std::string_view subtype);
EventForm form_of_claude_attachment(std::string_view type);

} // namespace upskill::trace
