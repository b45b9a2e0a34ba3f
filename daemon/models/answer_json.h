#pragma once
#include "daemon/models/model.h"
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace upskill::models {

// An answer as it is kept (README.md: Records). Without `cached`, which is about one call.
nlohmann::json answer_json(const Answer& answer);
// corrupt names the field, after `where`. What is unknown is left alone.
Result<Answer> read_answer(const nlohmann::json& answer, std::string_view where);

// The same in one line.
std::string write_answer(const Answer& answer);
Result<Answer> parse_answer(std::string_view text, std::string_view where);

} // namespace upskill::models
