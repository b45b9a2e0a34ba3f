#pragma once
#include "daemon/binder.h"
#include "daemon/evals/eval_journal.h"
#include "daemon/handlers/skill_library.h"
#include "daemon/models/curl.h"

namespace upskill::daemon {

// `eval_changed`. All outlive the binder.
void bind_changed_handler(Binder& binder,
                          SkillLibrary& library,
                          models::Http& http,
                          evals::EvalJournal& journal);

} // namespace upskill::daemon
