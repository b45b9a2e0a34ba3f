#pragma once
#include "clients/cli/page.h"
#include "clients/cli/parse.h"

namespace upskill::cli {

// A command that is a method: connects, shows the plan and asks where something changes, calls,
// prints, answers the exit code.
int call_method(const Invocation& invocation, const Screen& screen, const Environment& environment);

// True for what must not be done without a person's word: no terminal and no --yes is a refusal.
bool needs_a_word(const Invocation& invocation);
// True where the plan comes first and then the question, given that somebody can be asked.
bool asks_first(const Invocation& invocation);

} // namespace upskill::cli
