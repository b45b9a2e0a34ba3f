#pragma once
#include "protocol/base/result.h"
#include "skills/redact/rule.h"

#include <string_view>
#include <vector>

namespace upskill::redact {

inline constexpr int k_rules_format = 1;
inline constexpr std::size_t k_max_rules_text = 1u << 20; // bytes
inline constexpr std::size_t k_max_rules = 1024;
inline constexpr std::size_t k_max_before = 512;        // bytes
inline constexpr std::size_t k_max_longest = 16u << 10; // bytes

// Lays the rules of `text` over `rules`: a rule with a known id replaces the keys it has, or goes
// with `"enabled": false`; another one is added. The text is not trusted. Either all are taken or
// none; an error names `what`, the rule and the key.
Result<void> lay_over(std::vector<Rule>& rules, std::string_view text, std::string_view what);

} // namespace upskill::redact
