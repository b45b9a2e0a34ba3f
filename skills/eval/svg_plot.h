#pragma once
#include "protocol/types/eval_reports.h"

#include <span>
#include <string>

namespace upskill::eval {

// One line of a forest plot.
struct PlottedLift {
  std::string label = {};
  EvalLift lift = {};
  EvalVerdict verdict = EvalVerdict::undecided;
};

// An <svg> with a line for each lift from the low to the high end of its interval, a dot at its
// value and the line of no difference; values as text at the right. Colours are those of the page's
// classes `better`, `worse` and `undecided`. Ends outside of -1..1 are drawn at the edge. Nothing
// for nothing.
std::string forest_plot(std::span<const PlottedLift> lifts);

// Twenty cells, as the terminal shows a rate; blank where it is unknown.
std::string rate_bar(std::optional<double> rate);

} // namespace upskill::eval
