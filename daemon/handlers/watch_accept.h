#pragma once
#include "daemon/binder.h"
#include "daemon/evals/eval_journal.h"
#include "daemon/handlers/skill_library.h"
#include "daemon/models/curl.h"
#include "daemon/sandbox/sandbox.h"
#include "protocol/types/watch_reports.h"
#include "skills/regression/ledger.h"

#include <string>
#include <string_view>

namespace upskill::daemon {

// What watching needs of the daemon; all of it outlives whoever has it.
struct WatchRoom {
  SkillLibrary& library;
  models::Http& http;
  evals::EvalJournal& journal;
  regression::Ledger* ledger = nullptr; // of what tests spend; null: nothing is tested
};

// By which evals.db knows a skill: its project and its name.
std::string watch_key(const SkillKey& skill);
SkillKey skill_of(std::string_view key);

// Draws samples of a skill as it stands, and keeps them as what later versions are held against.
// `skill` is set to the one it is; outlives the call.
Awaitable<EvalAcceptResult>
accept_skill(WatchRoom room, EvalAcceptParams params, RequestContext context, SkillKey& skill);

} // namespace upskill::daemon
