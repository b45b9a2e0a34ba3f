#pragma once
#include "clients/cli/command.h"
#include "protocol/base/result.h"

namespace upskill::cli {

// The daemon speaks of fields and methods, because agents ask it too. The same in the words of a
// command line: `params.limit: must be ...` as "`--limit` must be ...", and in hints the method
// `skill_list` as `upskill list`. Without a hint the option's own description is one.
Error in_words_of(const Command& command, Error error);

} // namespace upskill::cli
