#pragma once
#include "protocol/types/eval_reports.h"
#include "skills/eval/html_page.h"

#include <cstddef>

namespace upskill::eval {

// The table of a model's cases, what lost most first, and under each what was asked and answered.
// At most so many cases, as far as the page has room; the page says how many are left out. Returns
// that number.
std::size_t write_cases(HtmlPage& page, const EvalModelReport& model, std::size_t most_cases);

} // namespace upskill::eval
