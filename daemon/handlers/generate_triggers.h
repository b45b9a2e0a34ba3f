#pragma once
#include "daemon/generation/description_tuning.h"
#include "protocol/base/result.h"
#include "protocol/types/generate.h"
#include "skills/generate/draft.h"

#include <cstdint>
#include <optional>
#include <string>

namespace upskill::daemon {

// As skill-creator has them (evals facts, section 3).
inline constexpr std::int64_t k_trigger_queries = 20;

// What tuning a description takes; all of it outlives tune_description().
struct TriggerTuning {
  asio::any_io_executor executor;
  generation::Writer& teacher;
  generation::Writer& cases;
  generation::StudentRoom& room; // of one student, who picks its skills
  generation::TuningHooks hooks;
  std::string task = {};
  std::uint64_t seed = 1;
};

// Has trigger queries written, and the description that does best on those held out put into
// `draft`. Errors: no queries, or nothing could be measured; then the draft is as it was.
asio::awaitable<Result<GenerateTriggers>> tune_description(TriggerTuning tuning,
                                                           generate::Draft& draft);

} // namespace upskill::daemon
