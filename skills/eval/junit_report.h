#pragma once
#include "protocol/types/eval_reports.h"

#include <string>

namespace upskill::eval {

// JUnit XML as Jenkins, GitLab and GitHub's readers take it: a suite for each model, a test for
// each sample with the skill, so it wants a result with samples. A failure says which checks
// failed; an error why there is no outcome. What the skill adds is in the properties of a suite: a
// test of the arm without it would fail where the skill is needed, which is no fault. Texts are
// cut, and left out once the file has 16 MiB.
std::string junit_report(const EvalResult& result);

} // namespace upskill::eval
