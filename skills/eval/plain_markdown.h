#pragma once
#include <string>
#include <string_view>

namespace upskill::eval {

// What anyone may have written, in Markdown: on one line, and no markup, row's end, link or name of
// a person in it. Cut after 500 bytes.
std::string plain_markdown(std::string_view text);

} // namespace upskill::eval
