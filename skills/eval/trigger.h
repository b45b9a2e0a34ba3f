#pragma once
#include "skills/eval/report_arms.h"

#include <optional>
#include <vector>

namespace upskill::eval {

// Whether the skill was picked where it should be (cases with `should_trigger`), by what samples
// with the skill say; without it there is nothing to pick. A sample that ended in an error may have
// ended before the skill was picked, so there only a pick says something. None without such a
// sample.
// Where no case says so, all of them are the skill's test cases, and it should be picked in each;
// none then where no sample tells. Precision is unknown where nothing should leave it alone.
//
// Intervals are Wilson's, and count cases: runs of one query say little about others.
std::optional<EvalTrigger> trigger_of(const CaseSuite& suite,
                                      const std::vector<CaseSample>& samples);

} // namespace upskill::eval
