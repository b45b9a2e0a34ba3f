#pragma once
#include "clients/cli/invocation.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace upskill::cli {

// A word of a command line as a shell takes it: in single quotes where it needs them. It may have
// come from a source that means harm, and somebody is going to copy it.
std::string shell_word(std::string_view text);

// The same command once more, to be copied, but for these fields: `upskill install ./skills`.
std::string said_again(const Invocation& invocation,
                       std::initializer_list<std::string_view> without);

} // namespace upskill::cli
