#pragma once
#include "protocol/base/result.h"
#include "skills/agents/agent.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace upskill::agents {

inline constexpr int k_table_format = 1;
inline constexpr std::size_t k_max_table = 1u << 20; // bytes
inline constexpr std::size_t k_max_agents = 512;

// Parses with bounds on size and nesting.
Result<nlohmann::json> parse_table(std::string_view text, std::string_view what);

// The id of a row; an error names the row by its number.
Result<std::string> row_id(const nlohmann::json& row, std::size_t number, std::string_view what);

// Puts the keys that `row` has into `agent` and checks the outcome; an error names the row by its
// id and the key: "`agents.json`, agent `x`: `user.reads[1]` must not contain `.` or `..`".
Result<void> read_row(const nlohmann::json& row, std::string_view what, Agent& agent);

} // namespace upskill::agents
