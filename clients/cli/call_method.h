#pragma once
#include "clients/cli/page.h"
#include "clients/cli/parse.h"
#include "clients/connect/text_reader.h"

namespace upskill::cli {

// A command that is a method: connects, shows the plan and asks where something changes, calls,
// prints, answers the exit code.
int call_method(const Invocation& invocation, const Screen& screen, const Environment& environment);

// What its calls tell the daemon about their caller, as JSON.
std::string
context_of(const Invocation& invocation, const Screen& screen, const Environment& environment);

// True where nothing is to change: a dry run, and what only tells by another name.
bool only_tells(const Invocation& invocation);
// True for what must not be done without a person's word: no terminal and no --yes is a refusal.
bool needs_a_word(const Invocation& invocation);
// True where the plan comes first and then the question, given that somebody can be asked.
bool asks_first(const Invocation& invocation);
// True where this plan, a result with `dry_run`, leaves nothing to ask about.
bool plans_nothing(const Invocation& invocation, const connect::TextReader& plan);
// True where what the daemon would remember of it ends with a daemon for this command alone.
bool would_be_forgotten(const Invocation& invocation, const Environment& environment);

} // namespace upskill::cli
