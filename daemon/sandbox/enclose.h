#pragma once
#include "daemon/sandbox/sandbox.h"
#include "protocol/base/result.h"

#include <string>
#include <vector>

namespace upskill::sandbox {

// The arguments of bubblewrap that stand for it, without the program's own. invalid_argument for a
// mount or folder that is not absolute, or is the system's.
Result<std::vector<std::string>> enclosing_arguments(const Enclosed& enclosed);

// The program's own: what it is run by inside, where there is a bound that only holds there.
std::vector<std::string> inner_arguments(const Enclosed& enclosed);

} // namespace upskill::sandbox
