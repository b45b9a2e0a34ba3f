#pragma once
#include "skills/trace/text.h"

#include <string>
#include <string_view>

// What commands of a shell have in common.
namespace upskill::distill {

// The program and its first word that is no option, without what only prepares it (`cd x &&`,
// `A=b`, `sudo`, `timeout 5`) and without the version in its name: `cd app && npm test -- -v` is
// `npm test`. Looks at the first 4 KiB.
std::string command_signature(std::string_view command);

// Runs tests: `ctest`, `pytest`, `npm test`, `cargo test`.
bool is_test_command(std::string_view command);

// The person's own words of a slash command or a shell line, as Claude Code writes them: `/review
// the parser`; empty where there are none, as for what a command printed. Decoded text.
std::string words_of_command(std::string_view text);

// What a command printed, without the lines that Codex writes above it: `Wall time: …`, `Process
// exited with code N`, `Output:`. Nothing is decoded.
trace::Text output_of_command(trace::Text text);

} // namespace upskill::distill
