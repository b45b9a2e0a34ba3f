#include "skills/sync/undo_choice.h"

#include "skills/sync/undo_reason.h"

#include <unistd.h>

#include <algorithm>

namespace upskill::sync {
namespace {

using store::HistoryRow;

// The choice of a person in a conflict that this undo takes back, or puts in force again where what
// it undoes is an undo of it.
struct Choice {
  store::ConflictRow conflict;
  bool in_force = false;
};

Result<std::optional<Choice>> choice_of(Engine::State& state, HistoryRow row) {
  std::optional<store::Id> settled = conflict_settled_by(row.reason);
  bool in_force = false;
  for (; !settled; in_force = !in_force) {
    std::optional<UndoOf> undo = undo_told_by(row);
    TRY_ASSIGN(std::optional<HistoryRow> undid,
               state.store.history_entry(undo ? undo->entries.front() : 0));
    if (!undid) {
      return std::nullopt;
    }
    row = std::move(*undid);
    settled = conflict_settled_by(row.reason);
  }
  TRY_ASSIGN(std::optional<store::ConflictRow> conflict, state.store.conflict(*settled));
  return conflict ? std::optional(Choice{std::move(*conflict), in_force}) : std::nullopt;
}

bool same_versions(const store::ConflictRow& one, const store::ConflictRow& other) {
  return std::ranges::equal(one.versions,
                            other.versions,
                            {},
                            &store::ConflictVersionRow::hash,
                            &store::ConflictVersionRow::hash);
}

} // namespace

Result<void> follow_choice(Engine::State& state, const HistoryRow& row, PutEffects& effects) {
  TRY_ASSIGN(std::optional<Choice> choice, choice_of(state, row));
  TRY_ASSIGN(auto open, state.store.find_conflict(row.scope, row.skill, ConflictKind::content));
  if (choice && choice->in_force && open && same_versions(choice->conflict, *open)) {
    effects.settles = open->id;
  }
  if (!choice || choice->in_force || open) {
    return {}; // it is too long ago, or there is another one by now
  }
  store::ConflictRow& again = choice->conflict;
  again.id = 0; // a new one with the same versions: the log goes on naming the old one
  again.resolved_ms.reset();
  for (store::ConflictVersionRow& version : again.versions) {
    if (!version.stored.empty() && ::access(version.stored.c_str(), F_OK) != 0) {
      version.stored.clear(); // its folder went in its time; the store may still have the version
    }
  }
  effects.reopens = std::move(again);
  return {};
}

} // namespace upskill::sync
