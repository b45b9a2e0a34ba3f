#pragma once
#include "protocol/types/eval_changed.h"

#include <string>

namespace upskill::eval {

// A section of Markdown for the summary of a CI run or a comment: a table of the skills that a
// change touched, those with bad news first, then their faults. Texts are escaped, so that none of
// them is markup or calls a person. Bounded to 512 KiB: GitHub takes 1 MiB of a step.
std::string changed_markdown(const EvalChangedResult& result);

} // namespace upskill::eval
