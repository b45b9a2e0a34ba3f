#pragma once
#include "skills/eval/run_log.h"

#include <span>
#include <string>
#include <string_view>

namespace upskill::eval {

// `results.csv`: upskill's columns in its order, then `run_type`, `skill_name`, `skill_hash`,
// `cases_hash` and `student`; RFC 4180 with a header. What is unknown is an empty cell; truth is
// `True` and `False`, as Python's writer has it.
std::string results_csv(std::span<const RunResult> runs);

// A text as one cell: quoted where it must be, and with a `'` in front where a spreadsheet would
// take it for a formula (`=`, `+`, `-`, `@`, a control character; a number is none).
std::string csv_cell(std::string_view text);

} // namespace upskill::eval
