#include "skills/store/replica_record.h"
#include "skills/store/sync_columns.h"
#include "skills/store/sync_store.h"

namespace upskill::store {
namespace {

constexpr int k_tree_column = 7;

// Of `SELECT id, scope, name, key, state, ancestor, replicas [, tree]`.
Result<SkillView> view_of(const Statement& row, TreeRecord tree) {
  TRY_ASSIGN(std::optional<Digest> ancestor, row.digest(5));
  TRY_ASSIGN(std::vector<ReplicaRow> replicas, decode_replicas(row.blob(6)));
  return SkillView{.id = row.integer(0),
                   .scope = row.integer(1),
                   .name = row.text(2),
                   .key = row.text(3),
                   .ancestor = ancestor,
                   .tree = tree == TreeRecord::read ? row.blob(k_tree_column) : std::string_view(),
                   .state = row.text(4),
                   .replicas = std::move(replicas)};
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
                                .state = std::string(view.state),
                                .replicas = std::move(view.replicas)});
}

} // namespace

Result<void> SyncStore::each_skill(TreeRecord tree, const VisitSkill& visit) {
  TRY_ASSIGN(Statement rows,
             m_database.prepare(tree == TreeRecord::read
                                    ? Sql("SELECT id, scope, name, key, state, ancestor, replicas, "
                                          "tree FROM skills ORDER BY id")
                                    : Sql("SELECT id, scope, name, key, state, ancestor, replicas "
                                          "FROM skills ORDER BY id")));
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
  TRY_ASSIGN(
      Statement row,
      m_database.query("SELECT id, scope, name, key, state, ancestor, replicas, tree FROM skills"
                       " WHERE id = ?",
                       id));
  return one_skill(std::move(row));
}

Result<std::optional<SkillRow>> SyncStore::find_skill(Id scope, std::string_view key) {
  TRY_ASSIGN(
      Statement row,
      m_database.query("SELECT id, scope, name, key, state, ancestor, replicas, tree FROM skills"
                       " WHERE scope = ? AND key = ?",
                       scope,
                       key));
  return one_skill(std::move(row));
}

// Without RETURNING, which costs more than the row: SQLite builds a table for it each time.
Result<Id> SyncStore::put_skill(const SkillRow& row) {
  std::string replicas = encode_replicas(row.replicas);
  if (row.id != 0) {
    TRY(m_database.run("UPDATE skills SET scope = ?, name = ?, key = ?, ancestor = ?, state = ?,"
                       " replicas = ?, tree = ? WHERE id = ?",
                       row.scope,
                       row.name,
                       row.key,
                       row.ancestor,
                       row.state,
                       Blob{replicas},
                       Blob{row.tree},
                       row.id));
    return m_database.changes() > 0 ? Result<Id>(row.id) : no_such("skill", row.id);
  }
  TRY(m_database.run("INSERT INTO skills (scope, name, key, ancestor, state, replicas, tree)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (scope, key) DO NOTHING",
                     row.scope,
                     row.name,
                     row.key,
                     row.ancestor,
                     row.state,
                     Blob{replicas},
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

Result<void> SyncStore::set_replicas(Id id, const std::vector<ReplicaRow>& replicas) {
  std::string record = encode_replicas(replicas);
  TRY(m_database.run("UPDATE skills SET replicas = ? WHERE id = ?", Blob{record}, id));
  return m_database.changes() > 0 ? Result<void>{} : no_such("skill", id);
}

Result<void> SyncStore::remove_skill(Id id) {
  return m_database.run("DELETE FROM skills WHERE id = ?", id);
}

} // namespace upskill::store
