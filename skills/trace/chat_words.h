#pragma once
#include "skills/trace/event.h"

#include <cstdint>
#include <optional>
#include <string_view>

// What formats that are no single program's have in common: names of roles, texts of programs
// among a person's, and how commands say that they failed.
namespace upskill::trace {

enum class Role : std::uint8_t { user, assistant, tool, instructions, unknown };

// `user`, `human`, `assistant`, `gpt`, `toolResult`, `developer` and their like.
Role role_of(std::string_view word);

// What a text in a person's place is; `prompt` where nothing says otherwise. `raw`: as it stands.
EventForm form_of_user_words(std::string_view raw);

// N of a last line like `Command exited with code N`, or of `Exit code N` at the start. `raw`: the
// output as it stands, between the quotes of a JSON string or not.
std::optional<std::int32_t> exit_code_of_output(std::string_view raw);

// Without blanks, line feeds and their JSON escapes at both ends.
std::string_view trim_raw(std::string_view raw);

} // namespace upskill::trace
