#pragma once
#include "skills/store/sync_rows.h"
#include "skills/sync/copy_modes.h"
#include "skills/sync/cover.h"
#include "skills/sync/reconcile.h"
#include "skills/sync/stage.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace upskill::sync {

// How every root of a scope shows one skill.
struct Sight {
  std::vector<Observation> observations; // one for each root, in order
  std::vector<StatResult> stats;         // the same
  std::map<RootIndex, ReadResult> reads; // of the copies that had to be read
  bool moving = false;                   // something changed while it was looked at
  std::string busy = {};                 // git is at work within a copy: why it waits
};

// One copy that is to be written, finished beside its root.
struct PendingWrite {
  RootIndex root = 0;
  bool link = false;
  std::string target = {}; // of the link
  StagedCopy staged;
  std::optional<ExpectedCopy> expected = {};
  bool swapped = false; // then what lies in its place was there before
};

// One skill whose content is decided and staged, waiting for its batch to be swapped in.
struct PendingSkill {
  std::string name;
  Tree tree;
  SyncAction action = SyncAction::update;
  std::string from = {};
  std::string reason = {};
  std::vector<PendingWrite> writes = {};
  // Copies that hold the content already, and what the scan saw of them.
  std::vector<std::pair<RootIndex, Fingerprint>> holders = {};
  std::optional<CopyModes> modes = {};             // of new copies, once they are known
  RootSet links = {};                              // that a person wants links in
  std::optional<RootIndex> original = {};          // which is written first, for links to lead to
  bool failed = false;                             // some copy could not be written
  bool edited = false;                             // by a person: it is spread like any other
  std::optional<store::ConflictRow> conflict = {}; // that is open once this is written
  store::Id settles = 0;                           // the conflict that this puts an end to
};

} // namespace upskill::sync
