#pragma once
#include "daemon/handlers/eval_models.h"
#include "daemon/handlers/generate_request.h"
#include "protocol/types/generate.h"
#include "skills/generate/loop.h"

namespace upskill::daemon {

// Who was asked what, or would be.
std::vector<GenerateRole>
roles_of(const GenerateParams& params, const EvalModels& teachers, const EvalModels& students);

// What it consists of, as it is saved.
void tell_files(GenerateResult& result, const generate::Draft& draft);

// What came of a loop, without what is saved. CPU-bound: on the pool.
Result<GenerateResult> result_of(const GenerateParams& params, const generate::Loop& loop);

// Whether the draft is to be saved: it is proven better, or the caller wants it anyway.
bool is_to_be_saved(const GenerateParams& params, const generate::Ending& ending);

// The evaluation that decided, for run logs and reports: held-out cases alone.
Result<EvalResult> evaluation_of(const GenerateResult& result,
                                 const generate::Loop& loop,
                                 const std::string& started_at);

} // namespace upskill::daemon
