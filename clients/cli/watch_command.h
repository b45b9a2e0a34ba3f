#pragma once
#include "clients/cli/page.h"
#include "clients/cli/parse.h"

namespace upskill::cli {

// `watch`: follows watched skills until it is ended, as a picture on a terminal, else in lines.
// Answers the exit code.
int watch(const Invocation& invocation, const Screen& screen, const Environment& environment);

} // namespace upskill::cli
