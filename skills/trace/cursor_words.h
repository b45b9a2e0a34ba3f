#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

namespace upskill::trace {

enum class CursorText : std::uint8_t { query, timestamp, other };

// Takes a text of Cursor's user apart: the person's words lie in `<user_query>`, the time in
// `<timestamp>`, and all else was put there by the program. Calls visit(what, text) in order,
// without the tags and without blanks around; a text without these tags is one `other`. `raw`: as
// it stands in its JSON string.
void take_apart_cursor_text(std::string_view raw,
                            const std::function<void(CursorText, std::string_view)>& visit);

// Unix milliseconds of `Thursday, Feb 26, 2026, 11:04 AM (UTC-5)`; nothing without a zone.
std::optional<std::int64_t> cursor_time(std::string_view words);

} // namespace upskill::trace
