#pragma once
#include "skills/trace/format.h"

#include <string_view>

namespace upskill::trace {

// The agent that writes this format, by its id in skills/agents where it has one; empty where the
// format is of several, and its envelopes tell.
std::string_view harness_of(Format format);

} // namespace upskill::trace
