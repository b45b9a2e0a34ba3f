#pragma once
#include "clients/cli/conversation.h"

#include <vector>

namespace upskill::cli {

// `upskill install` with a person at the terminal: what decide_install says, asked there.
Result<std::vector<Invocation>> ask_install(Conversation& conversation,
                                            const Invocation& invocation,
                                            const Screen& screen,
                                            const Environment& environment);

// Carries the orders out, one after the other; what all of them have done, as one reply. Ends at
// the first that fails: what the ones before did stays, and is told by the error.
Result<connect::CallReply> carry_out_install(Conversation& conversation,
                                             const std::vector<Invocation>& orders);

} // namespace upskill::cli
