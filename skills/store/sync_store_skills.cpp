#include "skills/store/sync_columns.h"
#include "skills/store/sync_store.h"

#include <algorithm>

namespace upskill::store {
namespace {

constexpr int k_tree_column = 6;

// Of `SELECT id, scope, name, key, state, ancestor [, tree]`.
Result<SkillView> view_of(const Statement& row, TreeRecord tree) {
  TRY_ASSIGN(std::optional<Digest> ancestor, row.digest(5));
  return SkillView{.id = row.integer(0),
                   .scope = row.integer(1),
                   .name = row.text(2),
                   .key = row.text(3),
                   .ancestor = ancestor,
                   .tree = tree == TreeRecord::read ? row.blob(k_tree_column) : std::string_view(),
                   .state = row.text(4)};
}

Result<std::optional<SkillRow>> one_skill(Statement row) {
  TRY_ASSIGN(bool found, row.step());
  if (!found) {
    return std::optional<SkillRow>();
  }
  TRY_ASSIGN(SkillView view, view_of(row, TreeRecord::read));
  return std::optional(SkillRow{.id = view.id,
                                .scope = view.scope,
                                .name = std::string(view.name),
                                .key = std::string(view.key),
                                .ancestor = view.ancestor,
                                .tree = std::string(view.tree),
                                .state = std::string(view.state)});
}

Result<ReplicaRow> replica_of(const Statement& row) {
  ReplicaRow replica{.skill = row.integer(0), .root = row.integer(1)};
  TRY_ASSIGN(replica.kind, enum_column<ReplicaKind>(row, 2));
  std::string_view seen = row.blob(3);
  // What is no fingerprint only means to look again.
  if (seen.size() == Fingerprint().size()) {
    std::ranges::copy(seen, replica.fingerprint.emplace().begin());
  }
  TRY_ASSIGN(replica.hash, row.digest(4));
  return replica;
}

std::optional<Blob> blob_of(const std::optional<Fingerprint>& fingerprint) {
  if (!fingerprint) {
    return std::nullopt;
  }
  return Blob{{reinterpret_cast<const char*>(fingerprint->data()), fingerprint->size()}};
}

} // namespace

Result<void> SyncStore::each_skill(TreeRecord tree, const VisitSkill& visit) {
  TRY_ASSIGN(
      Statement rows,
      m_database.prepare(
          tree == TreeRecord::read
              ? Sql("SELECT id, scope, name, key, state, ancestor, tree FROM skills ORDER BY id")
              : Sql("SELECT id, scope, name, key, state, ancestor FROM skills ORDER BY id")));
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return {};
    }
    TRY_ASSIGN(SkillView view, view_of(rows, tree));
    if (!visit(view)) {
      return {};
    }
  }
}

Result<std::optional<SkillRow>> SyncStore::skill(Id id) {
  TRY_ASSIGN(Statement row,
             m_database.query("SELECT id, scope, name, key, state, ancestor, tree FROM skills"
                              " WHERE id = ?",
                              id));
  return one_skill(std::move(row));
}

Result<std::optional<SkillRow>> SyncStore::find_skill(Id scope, std::string_view key) {
  TRY_ASSIGN(Statement row,
             m_database.query("SELECT id, scope, name, key, state, ancestor, tree FROM skills"
                              " WHERE scope = ? AND key = ?",
                              scope,
                              key));
  return one_skill(std::move(row));
}

// Without RETURNING, which costs more than the row: SQLite builds a table for it each time.
Result<Id> SyncStore::put_skill(const SkillRow& row) {
  if (row.id != 0) {
    TRY(m_database.run("UPDATE skills SET scope = ?, name = ?, key = ?, ancestor = ?, state = ?,"
                       " tree = ? WHERE id = ?",
                       row.scope,
                       row.name,
                       row.key,
                       row.ancestor,
                       row.state,
                       Blob{row.tree},
                       row.id));
    return m_database.changes() > 0 ? Result<Id>(row.id) : no_such("skill", row.id);
  }
  TRY(m_database.run("INSERT INTO skills (scope, name, key, ancestor, state, tree)"
                     " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (scope, key) DO NOTHING",
                     row.scope,
                     row.name,
                     row.key,
                     row.ancestor,
                     row.state,
                     Blob{row.tree}));
  if (m_database.changes() > 0) {
    return m_database.last_insert_id();
  }
  TRY_ASSIGN(std::optional<SkillRow> known, find_skill(row.scope, row.key));
  if (!known) {
    return no_such("skill", row.id);
  }
  SkillRow anew = row;
  anew.id = known->id;
  return put_skill(anew);
}

Result<void>
SyncStore::set_ancestor(Id id, const std::optional<Digest>& hash, std::string_view tree) {
  TRY_ASSIGN(Statement update,
             m_database.query("UPDATE skills SET ancestor = ?, tree = ? WHERE id = ? RETURNING id",
                              hash,
                              Blob{tree},
                              id));
  TRY(returned_id(std::move(update), "skill", id));
  return {};
}

Result<void> SyncStore::set_skill_state(Id id, std::string_view state) {
  TRY_ASSIGN(Statement update,
             m_database.query("UPDATE skills SET state = ? WHERE id = ? RETURNING id", state, id));
  TRY(returned_id(std::move(update), "skill", id));
  return {};
}

Result<void> SyncStore::remove_skill(Id id) {
  return m_database.run("DELETE FROM skills WHERE id = ?", id);
}

Result<void> SyncStore::each_replica(const VisitReplica& visit) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, root, kind, fingerprint, hash FROM replicas"
                              " ORDER BY skill, root"));
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return {};
    }
    TRY_ASSIGN(ReplicaRow replica, replica_of(rows));
    if (!visit(replica)) {
      return {};
    }
  }
}

Result<std::vector<ReplicaRow>> SyncStore::replicas_of(Id skill) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, root, kind, fingerprint, hash FROM replicas"
                              " WHERE skill = ? ORDER BY root",
                              skill));
  std::vector<ReplicaRow> replicas;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return replicas;
    }
    TRY_ASSIGN(replicas.emplace_back(), replica_of(rows));
  }
}

Result<void> SyncStore::put_replica(const ReplicaRow& row) {
  return m_database.run("INSERT INTO replicas (skill, root, kind, fingerprint, hash)"
                        " VALUES (?, ?, ?, ?, ?) ON CONFLICT (skill, root) DO UPDATE SET"
                        " kind = excluded.kind, fingerprint = excluded.fingerprint,"
                        " hash = excluded.hash",
                        row.skill,
                        row.root,
                        enum_name(row.kind),
                        blob_of(row.fingerprint),
                        row.hash);
}

Result<void> SyncStore::remove_replica(Id skill, Id root) {
  return m_database.run("DELETE FROM replicas WHERE skill = ? AND root = ?", skill, root);
}

Result<void> SyncStore::forget_fingerprints(Id root) {
  return m_database.run("UPDATE replicas SET fingerprint = NULL WHERE root = ?", root);
}

} // namespace upskill::store
