#pragma once
#include <string_view>

namespace upskill::daemon {

// The media type of a file of a skill, by its name, else by whether its content is text.
std::string_view mime_type(std::string_view path, bool is_text);

} // namespace upskill::daemon
