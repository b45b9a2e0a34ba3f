#pragma once
#include "protocol/types/eval_reports.h"
#include "skills/eval/html_page.h"

namespace upskill::eval {

// What one model's samples say: verdict, rates, tokens and cost, triggers; without its cases.
void write_model(HtmlPage& page, const EvalResult& result, const EvalModelReport& model);

// Several skills at once; nothing where there were none.
void write_combinations(HtmlPage& page, const EvalResult& result);

} // namespace upskill::eval
