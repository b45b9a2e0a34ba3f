#pragma once
#include "protocol/types/eval_reports.h"

#include <string>

namespace upskill::eval {

// A few lines of Markdown for a comment on a change: a table of the models, and what to know before
// trusting it. Texts are escaped, so that none of them is markup or calls a person.
std::string markdown_report(const EvalResult& result);

} // namespace upskill::eval
