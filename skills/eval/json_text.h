#pragma once
#include "protocol/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string_view>

namespace upskill::eval {

// A test file: JSON, or YAML where it begins with neither `{` nor `[`. Errors: too_large,
// invalid_argument (what is no JSON, a key that is given twice), each a sentence.
Result<nlohmann::json> parse_test_file(std::string_view text);

// JSON of at most k_max_json_depth levels; discarded when it is not.
nlohmann::json parse_shallow(std::string_view text);

} // namespace upskill::eval
