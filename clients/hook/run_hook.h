#pragma once
#include "clients/hook/words.h"

#include <optional>
#include <span>

namespace upskill::hook {

// The whole of `upskill hook EVENT [--agent NAME]`: reads what the agent says on stdin, leaves a
// doorbell in the spool, prints what the agent waits for. Answers the exit code, which is 0
// whatever happened: any other one can stop the agent. Nothing where a person asks for help or a
// person's words are wrong: then they are a command's like any other's (clients/cli).
std::optional<int> run_hook(std::span<char* const> words);

// The same for words that were read before: records, prints, answers 0.
int answer_hook(const HookWords& words);

} // namespace upskill::hook
