#include "skills/store/regression_columns.h"

// Versions that were looked at.
namespace upskill::store {
namespace {

// Of a SELECT of skill, version, first_ms.
Result<VersionRow> head_of(const Statement& row) {
  TRY_ASSIGN(Digest version, digest_column(row, 1));
  return VersionRow{
      .skill = std::string(row.text(0)), .version = version, .first_ms = row.integer(2)};
}

} // namespace

Result<bool> RegressionStore::put_version(const VersionRow& row) {
  TRY(check_text("a skill's name", row.skill, k_max_regression_text));
  TRY(check_text("the record of a version", row.record, k_max_version_record));
  TRY(m_database.run("INSERT INTO versions_seen (skill, version, first_ms, bytes, record)"
                     " VALUES (?, ?, ?, ?, ?) ON CONFLICT (skill, version) DO NOTHING",
                     row.skill,
                     row.version,
                     row.first_ms,
                     static_cast<std::int64_t>(row.record.size()),
                     row.record));
  return m_database.changes() != 0;
}

Result<bool> RegressionStore::has_version(std::string_view skill, const Digest& version) {
  TRY_ASSIGN(Statement rows,
             m_database.query(
                 "SELECT 1 FROM versions_seen WHERE skill = ? AND version = ?", skill, version));
  return rows.step();
}

Result<std::optional<VersionRow>> RegressionStore::find_version(std::string_view skill,
                                                                const Digest& version) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, version, first_ms, record FROM versions_seen"
                              " WHERE skill = ? AND version = ?",
                              skill,
                              version));
  TRY_ASSIGN(bool found, rows.step());
  if (!found) {
    return std::optional<VersionRow>();
  }
  TRY_ASSIGN(VersionRow row, head_of(rows));
  row.record = rows.text(3);
  return std::optional(std::move(row));
}

Result<std::vector<VersionRow>> RegressionStore::list_versions(std::string_view skill,
                                                               std::int64_t limit) {
  // What was accepted or tested before versions were kept, or whose record had to go, is one too.
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, version, min(first_ms) AS first, max(id) AS place"
                              " FROM (SELECT skill, version, first_ms, id FROM versions_seen"
                              "  UNION ALL SELECT skill, version, accepted_ms, 0"
                              "   FROM accepted_versions"
                              "  UNION ALL SELECT skill, version, started_ms, 0 FROM verdicts)"
                              " WHERE ?1 = '' OR skill = ?1 GROUP BY skill, version"
                              " ORDER BY first DESC, place DESC, skill, version LIMIT ?2",
                              skill,
                              limit));
  return rows_of(std::move(rows), head_of);
}

Result<std::int64_t> RegressionStore::purge_versions() {
  // What somebody may want to compare with goes last.
  TRY(m_database.run("DELETE FROM versions_seen WHERE id IN (SELECT id FROM"
                     " (SELECT id, row_number() OVER place AS number, sum(bytes) OVER place AS size"
                     "  FROM (SELECT id, bytes, (skill, version) IN"
                     "   (SELECT skill, version FROM accepted_versions"
                     "    UNION SELECT skill, version FROM verdicts) AS told"
                     "   FROM versions_seen) WINDOW place AS"
                     "  (ORDER BY told DESC, id DESC ROWS UNBOUNDED PRECEDING))"
                     " WHERE number > max(?, 1) OR (size > ? AND number > 1))",
                     m_bounds.versions,
                     m_bounds.version_bytes));
  return m_database.changes();
}

} // namespace upskill::store
