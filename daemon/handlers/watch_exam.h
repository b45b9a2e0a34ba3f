#pragma once
#include "daemon/handlers/watch_accept.h"
#include "daemon/handlers/watch_record.h"
#include "daemon/handlers/watch_tier_zero.h"
#include "daemon/handlers/watch_version.h"
#include "skills/regression/changed_parts.h"
#include "skills/regression/settings.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace upskill::daemon {

// A version, and what is known of it and of the accepted one before anybody is asked.
struct WatchExam {
  SkillKey skill = {};
  std::string folder = {}; // of the copy that is read
  WatchedVersion version = {};
  TierZero seen = {};
  std::optional<Digest> accepted = {}; // none: nothing of what follows is known
  AcceptedRecord record = {};
  regression::ChangedParts changed = {};
  regression::NeededTests needed = {};
  regression::WatchSettings settings = {};
  regression::WatchBudget total = {}; // of all skills together
  std::int64_t accepted_ms = 0;       // when; Unix time
  bool is_trusted = false;            // `evals/watch.yaml` is as it was accepted
  std::int64_t ask_above = 0;         // more skills at once wait for a word
  std::int64_t together = 0;          // so many were changed: too many; 0: not so
  bool was_told_to = false;           // a person has said go
  std::int64_t look = 1;              // which version this is, or would be, since the accepted one
};

// Reads a skill as it is now and, where it `is_watched`, what is kept of its accepted version.
// Errors: not_found where the skill is gone; what reading it gives.
asio::awaitable<Result<std::shared_ptr<const WatchExam>>>
open_exam(WatchRoom room, SkillKey skill, bool is_watched);

// What may be asked by what the configuration says now, and which look this is or would be. A look
// is counted by count_look(), when something is known of the version: each spends some of what all
// share.
asio::awaitable<Result<void>> refresh(WatchRoom room, WatchExam& exam);
asio::awaitable<Result<std::int64_t>> count_look(WatchRoom room, const WatchExam& exam);

} // namespace upskill::daemon
