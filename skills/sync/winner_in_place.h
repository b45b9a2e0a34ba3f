#pragma once
#include "skills/sync/engine_state.h"
#include "skills/sync/version_diff.h"

#include <optional>
#include <string>

namespace upskill::sync {

struct WinnerInPlace {
  std::string path; // of the copy that shows it
  VersionContent content;
};

// What has taken the place of a conflict's winner since: what was agreed after it, or an edit that
// is about to be. Nothing: it is as it won, or no copy can be looked at. Reads the copies.
std::optional<WinnerInPlace> winner_in_place(const Engine::State& state,
                                             const store::ConflictRow& conflict);

} // namespace upskill::sync
