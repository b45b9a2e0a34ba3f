#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace upskill::mcp {

// RFC 4648, section 4, with padding.
std::string base64(std::string_view bytes);
// Back; nothing for what is none.
std::optional<std::string> from_base64(std::string_view text);

} // namespace upskill::mcp
