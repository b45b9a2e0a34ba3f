#include "protocol/base/bounds.h"
#include "skills/store/trace_columns.h"
#include "skills/store/trace_store.h"

namespace upskill::store {
namespace {

// Of a SELECT of id, key, object, object_size.
Result<std::vector<RemovedSession>> removed_of(Statement rows) {
  std::vector<RemovedSession> removed;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return removed;
    }
    removed.push_back({.id = rows.integer(0),
                       .key = std::string(rows.text(1)),
                       .object = std::string(rows.text(2)),
                       .object_size = rows.integer(3)});
  }
}

// Of a SELECT of key, source, source_size, purged_ms.
Result<std::optional<PurgedMark>> mark_of(Statement row) {
  TRY_ASSIGN(bool found, row.step());
  if (!found) {
    return std::optional<PurgedMark>();
  }
  return std::optional(PurgedMark{.key = std::string(row.text(0)),
                                  .source = std::string(row.text(1)),
                                  .source_size = row.integer(2),
                                  .purged_ms = row.integer(3)});
}

} // namespace

Result<RemovedSession> TraceStore::remove_row(RemovedSession removed, std::int64_t time_ms) {
  TRY(m_database.run("INSERT OR REPLACE INTO purged (key, source, source_size, purged_ms)"
                     " SELECT key, source, source_size, ?2 FROM sessions WHERE id = ?1",
                     removed.id,
                     time_ms));
  TRY(unindex(removed.id));
  TRY(m_database.run("DELETE FROM sessions WHERE id = ?", removed.id));
  return removed;
}

Result<std::optional<RemovedSession>> TraceStore::remove(std::int64_t id, std::int64_t time_ms) {
  TRY_ASSIGN(Transaction transaction, begin());
  TRY_ASSIGN(
      Statement row,
      m_database.query("SELECT id, key, object, object_size FROM sessions WHERE id = ?", id));
  TRY_ASSIGN(std::vector<RemovedSession> found, removed_of(std::move(row)));
  if (found.empty()) {
    return std::optional<RemovedSession>();
  }
  TRY_ASSIGN(RemovedSession removed, remove_row(std::move(found.front()), time_ms));
  TRY(m_database.run("DELETE FROM purged WHERE key IN (SELECT key FROM purged"
                     " ORDER BY purged_ms DESC LIMIT -1 OFFSET ?)",
                     k_max_purged_marks));
  TRY(transaction.commit());
  return std::optional(std::move(removed));
}

Result<std::vector<RemovedSession>> TraceStore::remove_where(const PurgeFilter& filter,
                                                             std::int64_t time_ms) {
  TRY_ASSIGN(Transaction transaction, begin());
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, key, object, object_size FROM sessions"
                              " WHERE (?1 IS NULL OR harness = ?1) AND (?2 IS NULL OR project = ?2"
                              "  OR substr(project, 1, length(?2) + 1) = ?2 || '/')"
                              " AND (?3 IS NULL OR active_ms < ?3)"
                              " ORDER BY active_ms, id LIMIT ?4",
                              given(filter.harness),
                              given_folder(filter.project),
                              filter.before_ms,
                              static_cast<std::int64_t>(k_max_removed)));
  TRY_ASSIGN(std::vector<RemovedSession> found, removed_of(std::move(rows)));
  for (RemovedSession& one : found) {
    TRY_ASSIGN(one, remove_row(std::move(one), time_ms));
  }
  TRY(m_database.run("DELETE FROM purged WHERE key IN (SELECT key FROM purged"
                     " ORDER BY purged_ms DESC LIMIT -1 OFFSET ?)",
                     k_max_purged_marks));
  TRY(transaction.commit());
  return found;
}

Result<std::vector<RemovedSession>> TraceStore::find_excess(const TraceLimits& limits) {
  // Sums run from the newest, so that the one that makes it too much goes along.
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, key, object, object_size FROM"
                              " (SELECT id, key, object, object_size, is_raw,"
                              "   max(active_ms, imported_ms) AS age_ms,"
                              "   row_number() OVER place AS number,"
                              "   sum(object_size) OVER place AS bytes,"
                              "   sum(object_size * is_raw) OVER place AS raw_bytes FROM sessions"
                              "  WINDOW place AS (ORDER BY max(active_ms, imported_ms) DESC,"
                              "   id DESC ROWS UNBOUNDED PRECEDING))"
                              " WHERE (?1 IS NOT NULL AND age_ms < ?1)"
                              "  OR (?2 > 0 AND bytes > ?2 AND number > 1)"
                              "  OR (?3 > 0 AND is_raw AND raw_bytes > ?3 AND number > 1)"
                              " ORDER BY age_ms, id LIMIT ?4",
                              limits.before_ms,
                              limits.bytes,
                              limits.raw_bytes,
                              static_cast<std::int64_t>(k_max_page)));
  return removed_of(std::move(rows));
}

Result<std::optional<PurgedMark>> TraceStore::was_purged(std::string_view key) {
  TRY_ASSIGN(Statement row,
             m_database.query("SELECT key, source, source_size, purged_ms FROM purged"
                              " WHERE key = ?",
                              key));
  return mark_of(std::move(row));
}

Result<std::optional<PurgedMark>> TraceStore::was_source_purged(std::string_view source) {
  TRY_ASSIGN(Statement row,
             m_database.query("SELECT key, source, source_size, purged_ms FROM purged"
                              " WHERE source = ? ORDER BY purged_ms DESC LIMIT 1",
                              source));
  return mark_of(std::move(row));
}

Result<TraceTotals> TraceStore::totals() {
  TraceTotals totals;
  {
    TRY_ASSIGN(Statement sums,
               m_database.prepare("SELECT count(*), coalesce(sum(agent <> ''), 0),"
                                  " coalesce(sum(object_size), 0),"
                                  " coalesce(sum(object_size * is_raw), 0),"
                                  " coalesce(sum(text_size), 0) FROM sessions"));
    TRY(sums.step());
    totals = {.sessions = sums.integer(0),
              .helpers = sums.integer(1),
              .object_bytes = sums.integer(2),
              .raw_bytes = sums.integer(3),
              .text_bytes = sums.integer(4)};
  }
  TRY_ASSIGN(Statement blocked,
             m_database.prepare("SELECT count(DISTINCT session) FROM findings"
                                " WHERE state = 'flagged'"));
  TRY(blocked.step());
  totals.blocked = blocked.integer(0);
  TRY_ASSIGN(Statement pages,
             m_database.prepare("SELECT page_count * page_size"
                                " FROM pragma_page_count, pragma_page_size"));
  TRY(pages.step());
  totals.database_bytes = pages.integer(0);
  return totals;
}

Result<std::unordered_set<std::string>> TraceStore::object_names() {
  TRY_ASSIGN(Statement rows, m_database.prepare("SELECT object FROM sessions WHERE object <> ''"));
  std::unordered_set<std::string> names;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return names;
    }
    names.emplace(rows.text(0));
  }
}

Result<void> TraceStore::compact() {
  TRY(m_database.execute("INSERT INTO session_words (session_words) VALUES ('optimize')"));
  // What VACUUM writes would not fit into the memory that the daemon is to stay in.
  TRY(m_database.execute("PRAGMA temp_store=FILE"));
  Result<void> vacuumed = m_database.execute("VACUUM");
  TRY(m_database.execute("PRAGMA temp_store=MEMORY"));
  TRY(vacuumed);
  return m_database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

} // namespace upskill::store
