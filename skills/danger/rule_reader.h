#pragma once
#include "protocol/base/result.h"
#include "skills/danger/rule.h"

#include <string_view>
#include <vector>

namespace upskill::danger {

inline constexpr int k_rules_format = 1;

// The rules of rules.json, with the words they use put in. The text is ours: an error is a bug, and
// names the rule and the key.
Result<std::vector<Rule>> read_rules(std::string_view text);

} // namespace upskill::danger
