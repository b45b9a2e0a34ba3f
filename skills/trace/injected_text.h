#pragma once
#include "skills/trace/text.h"

#include <string>

// What programs put into texts of persons, agents and tools: `<system-reminder>…</system-reminder>`
// and its like. It is no evidence of what somebody wanted or did, and what a skill learns from must
// not be what skills and instructions said (facts: traces.md, section 4).
namespace upskill::trace {

// Whether there may be some; without decoding, and cautious.
bool may_hold_injected(const Text& text);

// Takes it out of a decoded text. What is never closed goes on to the end, and what ends without a
// beginning has begun before the text.
void strip_injected(std::string& text);

} // namespace upskill::trace
