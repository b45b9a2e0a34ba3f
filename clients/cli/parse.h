#pragma once
#include "clients/cli/invocation.h"
#include "protocol/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::cli {

// Reads the words after the program's name. Options may stand anywhere; `--` ends them. Errors are
// `invalid_argument` with a hint that names what was probably meant.
Result<Invocation> parse(std::span<const std::string_view> words);

// The commands below a first word (`sync`): what to show when it stands alone. Empty for others.
std::vector<std::string> commands_below(std::string_view word);
// Whether the word alone is no command that takes words: `sync`, but not `eval`, for which a skill
// follows as well as `accept`.
bool is_group(std::string_view word);

} // namespace upskill::cli
