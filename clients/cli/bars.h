#pragma once
#include "clients/cli/page.h"

#include <string>

// How shares and lifts of evaluations are drawn, the same everywhere.
namespace upskill::cli {

// 0.4 as "40%".
std::string percent(double share);
// With its sign, because a loss must be as visible as a gain: "+35%", "-5%".
std::string points(double share);
// A share of 0 to 1 in so many cells.
std::string bar(const Page& page, double share, std::size_t cells = 20);

} // namespace upskill::cli
