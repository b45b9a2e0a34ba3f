#pragma once
#include "skills/redact/rule_set.h"

namespace upskill::danger {

// The rules of skills/redact, compiled at the first call (about 30 ms). Its failure is a bug.
const Result<redact::RuleSet>& secret_rules();

} // namespace upskill::danger
