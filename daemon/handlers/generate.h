#pragma once
#include "daemon/binder.h"
#include "daemon/capture/desk.h"
#include "daemon/evals/eval_journal.h"
#include "daemon/handlers/skill_library.h"
#include "daemon/models/curl.h"

namespace upskill::daemon {

// What generating skills needs of the engine; all outlive the binder.
struct GenerateRoom {
  SkillLibrary& library;
  models::Http& http;
  evals::EvalJournal& journal;
  capture::Desk& desk;
};

// skill_generate.
void bind_generate_handlers(Binder& binder, GenerateRoom room);

} // namespace upskill::daemon
