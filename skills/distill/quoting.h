#pragma once
#include <cstddef>
#include <string>
#include <string_view>

// How the words of a session stand among ours, so that they can never pass for them: everything
// behind the first `|` of a line is quoted, nothing else is.
namespace upskill::distill {

// Appends ` | TEXT`, each further line behind `| `, and a line feed; only the line feed where there
// is no text. What would begin a line, hide or turn text around (control characters, line and
// paragraph separators, bidirectional marks, tag characters) does not.
void append_quoted(std::string& out, std::string_view text);

// A name of the session's among our words: letters, digits and `_.:/-`, at most 80; `?` for others.
std::string safe_name(std::string_view name);

} // namespace upskill::distill
