#pragma once
#include "skills/regression/test.h"

#include <string>

namespace upskill::regression {

// Why, in a clause for people: "95% -> 60%, 6 of 10 samples pass". Bounded.
std::string reason_in_words(const TestReport& report);

} // namespace upskill::regression
