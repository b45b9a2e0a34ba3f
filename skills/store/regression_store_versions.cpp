#include "skills/store/regression_columns.h"

namespace upskill::store {
namespace {

Error not_accepted(std::string_view skill, const Digest& accepted) {
  return {ErrorCode::not_found,
          "the version `" + accepted.brief() + "` of `" + std::string(skill) + "` is not accepted"};
}

// Of a SELECT of skill, version, watch_file, accepted_ms.
Result<AcceptedRow> head_of(const Statement& row) {
  TRY_ASSIGN(Digest version, digest_column(row, 1));
  TRY_ASSIGN(std::optional<Digest> watch_file, row.digest(2));
  return AcceptedRow{.skill = std::string(row.text(0)),
                     .version = version,
                     .watch_file = watch_file,
                     .accepted_ms = row.integer(3)};
}

// Of one that goes on with the record.
Result<std::optional<AcceptedRow>> first_of(Statement rows) {
  TRY_ASSIGN(bool found, rows.step());
  if (!found) {
    return std::optional<AcceptedRow>();
  }
  TRY_ASSIGN(AcceptedRow row, head_of(rows));
  row.record = rows.text(4);
  return std::optional(std::move(row));
}

} // namespace

Result<void> RegressionStore::accept(const AcceptedRow& row) {
  TRY(check_text("a skill's name", row.skill, k_max_regression_text));
  TRY(check_text("the record of an accepted version", row.record, k_max_accepted_record));
  // REPLACE gives it another id, which makes it the last one, and takes its looks away.
  return m_database.run("INSERT OR REPLACE INTO accepted_versions"
                        " (skill, version, watch_file, accepted_ms, bytes, record)"
                        " VALUES (?, ?, ?, ?, ?, ?)",
                        row.skill,
                        row.version,
                        row.watch_file,
                        row.accepted_ms,
                        static_cast<std::int64_t>(row.record.size()),
                        row.record);
}

Result<std::optional<AcceptedRow>> RegressionStore::accepted(std::string_view skill) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, version, watch_file, accepted_ms, record"
                              " FROM accepted_versions WHERE id ="
                              " (SELECT max(id) FROM accepted_versions WHERE skill = ?)",
                              skill));
  return first_of(std::move(rows));
}

Result<std::optional<AcceptedRow>> RegressionStore::accepted_version(std::string_view skill,
                                                                     const Digest& version) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, version, watch_file, accepted_ms, record"
                              " FROM accepted_versions WHERE skill = ? AND version = ?",
                              skill,
                              version));
  return first_of(std::move(rows));
}

Result<std::vector<AcceptedRow>> RegressionStore::list_accepted(std::string_view skill,
                                                                std::int64_t limit) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT skill, version, watch_file, accepted_ms"
                              " FROM accepted_versions WHERE ?1 = '' OR skill = ?1"
                              " ORDER BY id DESC LIMIT ?2",
                              skill,
                              limit));
  return rows_of(std::move(rows), head_of);
}

Result<std::int64_t>
RegressionStore::next_look(std::string_view skill, const Digest& accepted, const Digest& version) {
  TRY_ASSIGN(Statement row,
             m_database.query("SELECT (SELECT number FROM looks WHERE accepted = a.id"
                              " AND version = ?3),"
                              " (SELECT coalesce(max(number), 0) + 1 FROM looks"
                              " WHERE accepted = a.id)"
                              " FROM accepted_versions AS a WHERE a.skill = ?1 AND a.version = ?2",
                              skill,
                              accepted,
                              version));
  TRY_ASSIGN(bool found, row.step());
  if (!found) {
    return fail(not_accepted(skill, accepted));
  }
  return row.is_null(0) ? row.integer(1) : row.integer(0);
}

Result<std::int64_t> RegressionStore::look_number(std::string_view skill,
                                                  const Digest& accepted,
                                                  const Digest& version) {
  std::int64_t id = 0;
  {
    TRY_ASSIGN(Statement row,
               m_database.query("SELECT accepted_versions.id, looks.number FROM accepted_versions"
                                " LEFT JOIN looks ON looks.accepted = accepted_versions.id"
                                " AND looks.version = ?3"
                                " WHERE accepted_versions.skill = ?1"
                                " AND accepted_versions.version = ?2",
                                skill,
                                accepted,
                                version));
    TRY_ASSIGN(bool found, row.step());
    if (!found) {
      return fail(not_accepted(skill, accepted));
    }
    if (!row.is_null(1)) {
      return row.integer(1);
    }
    id = row.integer(0);
  }
  TRY(m_database.run("INSERT INTO looks (accepted, version, number)"
                     " SELECT ?1, ?2, coalesce(max(number), 0) + 1 FROM looks WHERE accepted = ?1",
                     id,
                     version));
  TRY_ASSIGN(
      Statement row,
      m_database.query("SELECT number FROM looks WHERE accepted = ? AND version = ?", id, version));
  TRY(row.step());
  return row.integer(0);
}

Result<std::int64_t> RegressionStore::purge_accepted() {
  // What a skill is held against now goes last.
  TRY(m_database.run("DELETE FROM accepted_versions WHERE id IN (SELECT id FROM"
                     " (SELECT id, row_number() OVER place AS number, sum(bytes) OVER place AS size"
                     "  FROM (SELECT id, bytes, id = max(id) OVER (PARTITION BY skill) AS present"
                     "   FROM accepted_versions) WINDOW place AS"
                     "  (ORDER BY present DESC, id DESC ROWS UNBOUNDED PRECEDING))"
                     " WHERE number > max(?, 1) OR (size > ? AND number > 1))",
                     m_bounds.accepted,
                     m_bounds.accepted_bytes));
  std::int64_t removed = m_database.changes();
  // The newest stay: the next number must not be one that was had before.
  TRY(m_database.run("DELETE FROM looks WHERE number <="
                     " (SELECT max(number) FROM looks AS other"
                     "  WHERE other.accepted = looks.accepted) - max(?, 1)",
                     m_bounds.looks));
  return removed + m_database.changes();
}

} // namespace upskill::store
