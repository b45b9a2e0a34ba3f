#pragma once
#include "daemon/handlers/eval_outputs.h"
#include "daemon/handlers/generate.h"
#include "daemon/handlers/generate_request.h"
#include "protocol/types/generate.h"
#include "skills/generate/loop.h"

#include <cstdint>
#include <optional>

namespace upskill::daemon {

// What the end of a generation needs; all of it outlives finish_generation().
struct GenerateFinish {
  GenerateRoom room;
  runtime::Pool::Share share;
  const GenerateParams& params;
  GenerateRequest& request;
  EvalOutputs& outputs;
  const generate::Loop& loop;
  std::optional<generate::Draft> draft = {}; // the best, with its description tuned
  std::int64_t started_ms = 0;
  bool is_person = true;
};

// Saves the skill where it is to be saved, an agent's without a folder into the inbox; writes run
// logs; keeps the evaluation that decided; and says in `result` what became of it. What was paid
// for is told, whatever cannot be written: only the skill itself is worth an error.
asio::awaitable<Result<void>> finish_generation(GenerateFinish finish, GenerateResult& result);

} // namespace upskill::daemon
