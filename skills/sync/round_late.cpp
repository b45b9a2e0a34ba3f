#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "skills/sync/round.h"

#include <fcntl.h>

namespace upskill::sync {

// Whoever stands in a folder while it is replaced (a shell, an editor) goes on writing to the old
// one. That edit is a version like any other, only that its place is taken: it loses to what has
// it, and a conflict says so.
Result<LateEdit>
RoundRun::keep_late(Scope& scope, const Lingering& replaced, const ReadResult& late) {
  Skill* skill = scope.find(m_state.key_of(replaced.skill));
  std::optional<RootIndex> root = scope.root_at(replaced.root);
  if (!root || skill == nullptr || !skill->ancestor || skill->id == 0) {
    return LateEdit::of_no_skill; // deleted since
  }
  const Digest hash = late.tree.hash();
  if (hash == *skill->ancestor) {
    return LateEdit::known;
  }
  const std::string& path = replaced.displaced.path;
  UniqueFd folder(::open(parent_path(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string name(base_name(path));
  TRY(keep_tree(late.tree, [&](std::size_t index) -> Result<std::string> {
    return late.contents.empty() ? read_entry(folder.get(), name, late.tree.entries()[index])
                                 : Result<std::string>(late.contents[index]);
  }));
  Decision decision;
  decision.verdict = Verdict::conflict;
  decision.versions.push_back({.hash = *skill->ancestor, .root = *root});
  decision.versions.push_back({.hash = hash, .base = replaced.displaced.hash, .root = *root});
  TRY_ASSIGN(std::optional<store::ConflictRow> conflict,
             keep_losers(scope,
                         skill->name,
                         decision,
                         "edited in a folder that had been replaced a moment before"));
  if (!conflict) {
    return LateEdit::known; // an open one says all of this
  }
  TRY_ASSIGN(store::Transaction transaction, m_state.store.begin());
  if (conflict->id != 0) {
    TRY(m_state.store.update_conflict(*conflict));
  } else {
    TRY(m_state.store.add_conflict(*conflict));
  }
  TRY(transaction.commit());
  scope.conflicts.insert(skill->name);
  return LateEdit::conflict;
}

} // namespace upskill::sync
