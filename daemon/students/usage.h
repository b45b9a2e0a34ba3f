#pragma once
#include "daemon/models/model.h"

#include <cstdint>
#include <optional>

namespace upskill::students {

// All tokens of it, in and out; nothing where one direction is unknown: half of a sum is no sum.
std::optional<std::uint64_t> total_tokens(const models::Usage& usage);

// What two answers took together. A count that one of them does not tell is unknown.
models::Usage sum(const models::Usage& a, const models::Usage& b);

} // namespace upskill::students
