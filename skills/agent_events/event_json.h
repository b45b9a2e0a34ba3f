#pragma once
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace upskill::agent_events {

// Discarded when it is no JSON, or of more than 200,000 values; what is nested deeper than 64
// levels is left out. So one line costs a bounded amount of memory.
nlohmann::json parse_event(std::string_view text);

// Of a member that is absent, or of another type: empty. The views live as long as the object.
std::string_view text_of(const nlohmann::json& object, std::string_view key);
std::optional<std::int64_t> count_of(const nlohmann::json& object, std::string_view key);
std::optional<double> amount_of(const nlohmann::json& object, std::string_view key); // 0 or more
std::optional<bool> flag_of(const nlohmann::json& object, std::string_view key);
const nlohmann::json& object_of(const nlohmann::json& object, std::string_view key);
const nlohmann::json& array_of(const nlohmann::json& object, std::string_view key);

} // namespace upskill::agent_events
