#pragma once
#include "daemon/binder.h"
#include "daemon/evals/eval_journal.h"
#include "daemon/handlers/skill_library.h"
#include "daemon/models/curl.h"

namespace upskill::daemon {

// The methods about evaluations. All outlive the binder.
void bind_eval_handlers(Binder& binder,
                        SkillLibrary& library,
                        models::Http& http,
                        evals::EvalJournal& journal);

} // namespace upskill::daemon
