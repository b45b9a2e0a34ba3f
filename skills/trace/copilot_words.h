#pragma once
#include "skills/trace/event.h"

#include <cstdint>
#include <optional>
#include <string_view>

// What records and texts of the Copilot CLI are (facts: traces.md, 1.3).
namespace upskill::trace {

// What a record of this type is that has no reading of its own; unknown where nobody knows it.
EventForm form_of_copilot_type(std::string_view type);

// Of a message of the user, by where it came from (`skill-pdf`, `command-init`; nothing and `user`
// are the person) and what it says. `raw`: as it stands in its JSON string.
EventForm form_of_copilot_text(std::string_view source, std::string_view raw);

// `<exited with exit code N>` at the end of a shell command's result.
std::optional<std::int32_t> copilot_exit_code(std::string_view raw);

} // namespace upskill::trace
