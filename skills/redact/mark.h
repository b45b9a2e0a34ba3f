#pragma once
#include <string>
#include <string_view>

namespace upskill::redact {

inline constexpr std::string_view k_mark_begin = "[REDACTED:";

// What stands in place of a secret: `[REDACTED:github-pat]`. No byte of it is escaped in JSON.
std::string mark_of(std::string_view rule_id);

// The id in what looks like a mark at the start of `text`; empty where nothing does.
std::string_view marked_id(std::string_view text);

} // namespace upskill::redact
