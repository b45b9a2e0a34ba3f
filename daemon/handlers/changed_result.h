#pragma once
#include "protocol/base/result.h"
#include "protocol/types/eval_changed.h"

#include <string>

// What came of a test of changed skills, and where it is written.
namespace upskill::daemon {

// The verdict of all subjects of a skill. One that is new and has nothing to lose is OK: where
// hardly anything passes without it, it spoils nothing.
void settle_verdict(ChangedSkillReport& skill);

// Why the answer is no: skills that became worse or have new faults, and, where somebody wants
// that, such that are undecided although they have cases. Empty: it is yes.
std::string why_failed(const EvalChangedParams& params, const EvalChangedResult& result);

// That what is named can be written, before anything is paid for. Paths are relative to `cwd`.
// Blocks, as the next one: for the pool.
Result<void> check_files(const EvalChangedParams& params, const std::string& cwd);
// Writes the JUnit report anew, and adds the summary to what its file has already: that of a step
// of GitHub Actions is one file for all of its commands. What cannot be written is a warning.
void write_files(const EvalChangedParams& params,
                 const std::string& cwd,
                 EvalChangedResult& result);

} // namespace upskill::daemon
