#pragma once
#include <cstdint>
#include <string>

namespace upskill::evals {

// `eval-` and a ULID in lower case (https://github.com/ulid/spec): ids of later milliseconds sort
// later, and nobody guesses one. `time_ms` is Unix time.
std::string new_evaluation_id(std::int64_t time_ms);

} // namespace upskill::evals
