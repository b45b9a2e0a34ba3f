#pragma once
#include <string>
#include <string_view>

// Server-sent events (HTML standard, section 9.2), appended to the output.
namespace upskill::http {

// An empty id is left out. `data` is a message; a line end in it, which JSON does not need, is kept
// by the format.
void write_event(std::string& out, std::string_view id, std::string_view data);

// The first event of a stream that can be resumed: an id to resume after and no data, and how long
// to wait before doing so (MCP 2025-11-25).
void write_priming(std::string& out, std::string_view id);

inline constexpr std::string_view k_keep_alive = ":\n\n"; // a comment, so that nobody hangs up

} // namespace upskill::http
