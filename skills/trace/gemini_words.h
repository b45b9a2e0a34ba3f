#pragma once
#include "skills/trace/event.h"

#include <cstdint>
#include <optional>
#include <string_view>

// What texts of the Gemini CLI are (facts: traces.md, 1.3).
namespace upskill::trace {

// Of a message of type `user`; `raw`: as it stands in its JSON string. `prompt` where nothing says
// otherwise.
EventForm form_of_gemini_text(std::string_view raw);

// The same of a part after the first: files that a person named with `@` follow the words.
bool begins_gemini_files(std::string_view raw);

// Of a message of type `info`: that the person stopped the agent is told nowhere else.
bool is_gemini_interrupt(std::string_view raw);

// `Exit Code: N`, which a shell command's result has in one of its last lines.
std::optional<std::int32_t> gemini_exit_code(std::string_view raw);

} // namespace upskill::trace
