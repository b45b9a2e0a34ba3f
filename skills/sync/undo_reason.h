#pragma once
#include "skills/store/sync_rows.h"

#include <optional>
#include <string>
#include <vector>

namespace upskill::sync {

// What an undo did to other entries of the log. It is kept in the reason that its own entry gives,
// so that a person reads it, and the undo of the undo knows what to bring back.
struct UndoOf {
  // The one that was asked for, then later ones that were taken back with it.
  std::vector<store::Id> entries = {};
  // The entry of the copies that the same undo took away first; 0: none.
  store::Id begun_in = 0;

  friend bool operator==(const UndoOf&, const UndoOf&) = default;
};

// Such as `undo of 2 with 3, 4, begun in 5`.
std::string reason_of_undo(const UndoOf& undo);
// Nothing where the entry is no undo. All ids are less than the entry's own.
std::optional<UndoOf> undo_told_by(const store::HistoryRow& row);

} // namespace upskill::sync
