#pragma once
#include "protocol/types/eval_changed.h"

#include <string>

namespace upskill::eval {

// JUnit XML of the skills that a change touched: a suite for each skill, a test for each of its
// subjects. REGRESSED is a failure, UNDECIDED skipped, each with why. New faults are a failed test
// of their own, and so a skill without subjects has a test, too. Texts are cut, and left out once
// the file has 16 MiB.
std::string changed_junit(const EvalChangedResult& result);

} // namespace upskill::eval
