#pragma once
#include <cstddef>
#include <string_view>

namespace upskill::mcp {

inline constexpr std::size_t k_max_uri = 4096; // bytes

// A scheme, a colon, something after it; no white space, no control characters, not over k_max_uri
// (RFC 3986, section 3, as far as it concerns everybody). What the rest means, and that it leads
// nowhere it should not, is for whoever serves the scheme to check.
bool is_uri(std::string_view text);

} // namespace upskill::mcp
