#pragma once
#include "daemon/handlers/watch_accept.h"
#include "protocol/base/hash.h"

#include <string>

namespace upskill::daemon {

// Keeps a version of a skill for its history, where it is new: `folder` is read again, and is kept
// only if it is still that version. Whether one came to be kept; what cannot be is logged: nothing
// depends on it.
asio::awaitable<bool>
note_version(WatchRoom room, SkillKey skill, std::string folder, Digest version);
// Throws away what is too much of versions, which takes a walk through all that are kept.
asio::awaitable<void> forget_versions(WatchRoom room);

// The method that tells the history of skills. What the room has outlives the binder.
void bind_history_handlers(Binder& binder, WatchRoom room);

} // namespace upskill::daemon
