#pragma once
#include "daemon/binder.h"
#include "daemon/capture/desk.h"
#include "daemon/runtime/turns.h"
#include "daemon/setup/file_change.h"
#include "daemon/sync/service.h"
#include "skills/agent_config/connections.h"

#include <string>
#include <vector>

namespace upskill::setup {

using daemon::Awaitable;

// Connects coding agents, and takes that back: their files, whether their sessions are kept, the
// skill about us, sync, and the start at login. One order at a time; each part that fails is told,
// and the rest is done. Owner: SkillsEngine. Thread: the daemon's; what blocks is on the pool.
// Lifetime: longer than every call.
class SetupDesk {
public:
  SetupDesk(daemon::SyncService& service, capture::Desk& capture);

  // `cwd`: the caller's folder. Errors: invalid_argument for an agent that cannot be connected and
  // a project that is no folder; those of the record.
  Awaitable<SetupResult> apply(SetupParams params, std::string cwd);
  Awaitable<SetupResult> remove(SetupRemoveParams params, std::string cwd);

private:
  struct Order; // what one call knows

  const Places& places() const { return m_service.context().places; }

  agents::Setting setting(const std::string& project) const;
  Awaitable<void> look_at_agents(Order& order);
  Awaitable<void> change_files(Order& order);
  Awaitable<void> keep_record(Order& order);
  // desk_parts.cpp
  Awaitable<void> switch_capture(Order& order);
  Awaitable<void> switch_sync(Order& order);
  Awaitable<void> place_skill(Order& order);
  Awaitable<void> start_at_login(Order& order);
  Awaitable<void> restore_files(Order& order);
  Awaitable<void> end_capture(Order& order);
  Awaitable<void> end_sync(Order& order);
  Awaitable<void> take_skill(Order& order);
  Awaitable<void> end_login(Order& order);

  daemon::SyncService& m_service;
  capture::Desk& m_capture;
  runtime::Turns m_turns;
};

// The file that agents start, beside this program.
Result<std::string> upskill_program();

} // namespace upskill::setup
