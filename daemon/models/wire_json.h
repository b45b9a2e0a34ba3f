#pragma once
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::models {

// Discarded when it is no JSON, or nested deeper than k_max_json_depth, which writing it again
// would not survive. What is no UTF-8 in it becomes U+FFFD.
nlohmann::json parse_json(std::string_view text);
bool is_too_deep(std::string_view json);
Result<nlohmann::json> read_schema(std::string_view schema, std::string_view what);
std::string dump(const nlohmann::json& document); // bytes that are no UTF-8 replaced
std::string text_member(const nlohmann::json& object, std::string_view key);
std::optional<std::int64_t> count_member(const nlohmann::json& object, std::string_view key);
// A member that is an object, or an empty one.
const nlohmann::json& object_member(const nlohmann::json& object, std::string_view key);
// The text within a fence that models put around JSON that they were asked for; any other as it is.
std::string_view without_fence(std::string_view text);
// Arguments of a tool call as an object: a text with one in it is unpacked, nothing is `{}`, and
// what is none is kept as `{"invalid_arguments": TEXT}`, which no tool takes.
std::string tool_arguments(std::string_view text);

} // namespace upskill::models
