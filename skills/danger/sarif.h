#pragma once
#include "skills/danger/finding.h"

#include <string>
#include <string_view>

namespace upskill::danger {

// The report as SARIF 2.1.0 (OASIS), which GitHub and editors read: one run, indented JSON. `skill`
// is any text.
std::string to_sarif(const DangerReport& report, std::string_view skill);

} // namespace upskill::danger
