#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upskill::store {

// Unix time as part of a file's name, in UTC: `20261121T055610Z`. Names sort as their times do.
std::string name_of_time(std::int64_t time_ms);

// The time, to the second, that such a name begins with.
std::optional<std::int64_t> time_of_name(std::string_view name);

} // namespace upskill::store
