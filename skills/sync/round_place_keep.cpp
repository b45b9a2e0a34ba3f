// What is kept before a version that a person has placed takes the place of others.
#include "protocol/base/paths.h"
#include "skills/sync/round.h"

#include <algorithm>

namespace upskill::sync {

// What was agreed on, so that an undo can go back to it, and what lost before this.
Result<void> RoundRun::keep_mine(
    Scope& scope, const std::string& name, const Skill& skill, Sight& sight, Mine& mine) {
  EntryBytes bytes_of = mine.joined.empty()
                            ? bytes_from(scope, name, sight, mine.tree)
                            : bytes_of_merge(scope, name, skill, sight, mine.tree, mine.joined);
  TRY(keep_tree(mine.tree, bytes_of));
  for (const Version& version : mine.versions) {
    if (version.hash == skill.ancestor) {
      continue; // kept since it was agreed
    }
    if (std::optional<Error> problem = keep_object(scope, name, sight, version.root)) {
      return fail(std::move(*problem));
    }
  }
  return {};
}

// Versions that a person must look at: copies that could not be joined, unless whatever lies there
// was to be replaced, and what was to be placed where both sides have changed.
Result<void> RoundRun::keep_losers_of(Scope& scope,
                                      const Placement& placement,
                                      const Mine& mine,
                                      const Chosen& choice,
                                      const Incoming& incoming,
                                      PendingSkill& pending,
                                      Order& order) {
  const Digest version = incoming.tree.hash();
  const bool is_conflict = choice.state == PlacedState::conflict;
  Decision decision;
  decision.versions.push_back({choice.tree.hash(), {}, mine.root, false});
  for (std::size_t i = 1; i < mine.versions.size() && !placement.replaces; ++i) {
    if (mine.versions[i].hash != version && mine.versions[i].hash != choice.tree.hash()) {
      decision.versions.push_back(mine.versions[i]);
    }
  }
  if (is_conflict) {
    decision.versions.push_back({version, {}, mine.root, false});
  }
  if (decision.versions.size() == 1) {
    return {};
  }
  const std::string why = is_conflict ? "changed here, and differently where it comes from"
                                      : "found with different content in "
                                            + std::to_string(mine.versions.size()) + " places";
  TRY_ASSIGN(pending.conflict, keep_losers(scope, placement.skill, decision, why));
  if (!pending.conflict) {
    return {}; // an open one says all of it
  }
  for (store::ConflictVersionRow& row : pending.conflict->versions) {
    bool is_new =
        std::ranges::find(decision.versions, row.hash, &Version::hash) != decision.versions.end();
    if (is_new && !row.stored.empty()) {
      order.conflict_folders.push_back(parent_path(row.stored));
    }
    if (is_conflict && row.hash == version) {
      row.path = row.stored; // it has no place of its own
    }
  }
  return {};
}

} // namespace upskill::sync
