#include "skills/sync/round.h"

#include <algorithm>
#include <map>

namespace upskill::sync {

Result<Tree> RoundRun::tree_of(const Sight& sight, const Digest& hash) const {
  for (const auto& [root, read] : sight.reads) {
    if (read.tree.hash() == hash) {
      return read.tree;
    }
  }
  return tree_of_object(m_state.objects, hash);
}

// As the database has it, else as the store has.
Result<Tree> RoundRun::agreed_tree(const Skill& skill) const {
  auto row = m_state.store.skill(skill.id);
  if (row && *row) {
    Result<Tree> tree = Tree::parse((*row)->tree);
    if (tree && tree->hash() == *skill.ancestor) {
      return tree;
    }
  }
  return tree_of_object(m_state.objects, *skill.ancestor);
}

// Joins the new versions one after another, each against what it was made from (facts, rule 1).
// Nothing: they cannot be joined.
Result<std::optional<MergeResult>> RoundRun::try_merge(Scope& scope,
                                                       const std::string& name,
                                                       const Skill& skill,
                                                       Sight& sight,
                                                       const Decision& decision) {
  std::map<Digest, std::string> joined; // contents that only an earlier step of the join made
  std::map<Digest, Tree> trees;
  auto read = [&](const Entry& entry) -> Result<std::string> {
    if (auto known = joined.find(entry.content); known != joined.end()) {
      return known->second;
    }
    for (auto& [hash, tree] : trees) {
      for (std::size_t i = 0; i < tree.entries().size(); ++i) {
        const Entry& other = tree.entries()[i];
        if (other.content == entry.content && other.kind != EntryKind::folder
            && other.kind != EntryKind::link) {
          return bytes_from(scope, name, sight, tree)(i);
        }
      }
    }
    return fail(ErrorCode::internal, "no version holds `" + entry.path + "`");
  };
  MergeResult result;
  TRY_ASSIGN(result.tree, tree_of(sight, *skill.ancestor));
  trees.emplace(*skill.ancestor, result.tree);
  for (const Version& version : decision.versions) {
    TRY_ASSIGN(Tree changed, tree_of(sight, version.hash));
    trees.emplace(version.hash, changed);
    // Without a base of its own a version can only be compared with what was agreed.
    Digest base_hash = version.base.value_or(*skill.ancestor);
    TRY_ASSIGN(Tree base, tree_of(sight, base_hash));
    trees.emplace(base_hash, base);
    Tree so_far = std::move(result.tree);
    TRY_ASSIGN(MergeResult next, merge_trees(base, {&so_far, &changed}, read, library::folded_key));
    if (!next.clean()) {
      return std::optional<MergeResult>();
    }
    for (MergedFile& file : next.files) {
      joined[sha256(file.bytes)] = std::move(file.bytes);
    }
    result.tree = std::move(next.tree);
  }
  for (const Entry& entry : result.tree.entries()) {
    if (auto made = joined.find(entry.content); made != joined.end()) {
      result.files.push_back({entry.path, made->second});
    }
  }
  return std::optional(std::move(result));
}

void RoundRun::merge_or_conflict(
    Scope& scope, const std::string& name, Skill& skill, Sight& sight, const Decision& decision) {
  PendingSkill pending;
  pending.name = name;
  if (decision.verdict == Verdict::merge) {
    auto merged = try_merge(scope, name, skill, sight, decision);
    if (!merged) {
      warn(merged.error());
    } else if (*merged) {
      pending.action = SyncAction::merge;
      pending.reason = "joined " + std::to_string(decision.versions.size()) + " edits";
      pending.tree = std::move((*merged)->tree);
      EntryBytes bytes_of =
          bytes_of_merge(scope, name, skill, sight, pending.tree, (*merged)->files);
      spread(scope, name, skill, sight, pending, bytes_of);
      return;
    }
  }
  const Version& winner = decision.versions.front();
  pending.action = SyncAction::conflict;
  pending.from = scope.path_of(winner.root, name);
  Result<Tree> tree = tree_of(sight, winner.hash);
  if (!tree) {
    warn(tree.error());
    return;
  }
  pending.tree = std::move(*tree);
  bool is_first = decision.verdict == Verdict::conflict && !skill.ancestor;
  pending.reason = decision.verdict == Verdict::merge ? "edited differently in "
                   : is_first                         ? "first found with different content in "
                              : "found with content of unknown age, different in ";
  pending.reason += std::to_string(decision.versions.size()) + " places";
  if (!m_work.dry_run) {
    for (const Version& version : decision.versions) {
      if (version.hash == skill.ancestor) {
        continue; // kept since it was agreed
      }
      if (std::optional<Error> problem = keep_object(scope, name, sight, version.root)) {
        warn(*problem);
        return;
      }
    }
    Result<std::optional<store::ConflictRow>> conflict =
        keep_losers(scope, name, decision, pending.reason);
    if (!conflict) {
      warn(conflict.error());
      return;
    }
    pending.conflict = std::move(*conflict);
  }
  EntryBytes bytes_of = bytes_from(scope, name, sight, pending.tree);
  spread(scope, name, skill, sight, pending, bytes_of);
}

// The bytes of a joined tree: what the join made, else what some version holds, or what was agreed.
EntryBytes RoundRun::bytes_of_merge(Scope& scope,
                                    const std::string& name,
                                    const Skill& skill,
                                    Sight& sight,
                                    const Tree& tree,
                                    std::vector<MergedFile>& files) {
  return [this, &scope, name, agreed = skill.ancestor, &sight, &tree, &files](
             std::size_t index) -> Result<std::string> {
    const Entry& entry = tree.entries()[index];
    auto made = std::ranges::find(files, entry.path, &MergedFile::path);
    if (made != files.end()) {
      return made->bytes;
    }
    for (const auto& [root, read] : sight.reads) {
      for (std::size_t i = 0; i < read.tree.entries().size(); ++i) {
        const Entry& other = read.tree.entries()[i];
        bool same = other.content == entry.content && other.size == entry.size
                    && (other.kind == EntryKind::file || other.kind == EntryKind::executable);
        if (same && i < read.contents.size()) {
          return read.contents[i];
        }
        if (same) {
          return read_entry(scope.roots[root].fd.get(), name, other);
        }
      }
    }
    TRY_ASSIGN(std::string bytes, m_state.objects.read_file(*agreed, entry.path));
    if (sha256(bytes) != entry.content) {
      return fail(ErrorCode::internal, "no version holds `" + entry.path + "`");
    }
    return bytes;
  };
}

// Keeps every version but the winner where a person can read it, before anything is overwritten.
// Nothing: an open conflict says all of this, as where a losing copy cannot be written for long.
Result<std::optional<store::ConflictRow>> RoundRun::keep_losers(Scope& scope,
                                                                const std::string& name,
                                                                const Decision& decision,
                                                                const std::string& reason) {
  TRY(m_state.objects.flush());
  store::ConflictRow row;
  TRY_ASSIGN(std::optional<store::ConflictRow> open,
             m_state.store.find_conflict(scope.id, name, ConflictKind::content));
  auto is_listed = [&](const Version& version) {
    bool wins = version.hash == decision.versions.front().hash;
    return std::ranges::any_of(open->versions, [&](const store::ConflictVersionRow& listed) {
      return listed.hash == version.hash && listed.winner == wins;
    });
  };
  if (open && std::ranges::all_of(decision.versions, is_listed)) {
    return std::nullopt;
  }
  if (open) {
    row = std::move(*open);
    for (store::ConflictVersionRow& version : row.versions) {
      version.winner = false;
    }
  }
  row.scope = scope.id;
  row.skill = name;
  row.kind = ConflictKind::content;
  row.reason = reason;
  if (row.id == 0) {
    row.time_ms = m_work.now.wall_ms;
  }
  std::vector<Digest> losers;
  for (std::size_t i = 1; i < decision.versions.size(); ++i) {
    losers.push_back(decision.versions[i].hash);
  }
  TRY_ASSIGN(
      store::KeptVersions kept,
      m_state.conflict_folders.keep(
          m_state.objects, losers, name, "`" + name + "` was " + reason, m_work.now.wall_ms));
  for (std::size_t i = 0; i < decision.versions.size(); ++i) {
    const Version& version = decision.versions[i];
    std::erase_if(row.versions, [&](const store::ConflictVersionRow& other) {
      return other.hash == version.hash;
    });
    row.versions.push_back({version.hash,
                            scope.path_of(version.root, name),
                            i == 0,
                            i == 0 ? std::string() : kept.stored[i - 1]});
  }
  return row;
}

} // namespace upskill::sync
