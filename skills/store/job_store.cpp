#include "skills/store/job_store.h"

#include <algorithm>
#include <array>
#include <span>

namespace upskill::store {
namespace {

// What may be large comes last, so that lists do not read it. Once released, a migration is never
// edited: a change is one more.
std::span<const Migration> job_migrations() {
  static constexpr std::array k_migrations{Migration(R"sql(
CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  tool TEXT NOT NULL,
  state TEXT NOT NULL,
  status_message TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  ttl_ms INTEGER NOT NULL,
  progress REAL,
  total REAL,
  arguments TEXT NOT NULL,
  requests TEXT NOT NULL,
  error TEXT NOT NULL,
  result TEXT NOT NULL
) STRICT;
)sql")};
  return k_migrations;
}

std::optional<Real> real_or_null(const std::optional<double>& number) {
  return number ? std::optional(Real{*number}) : std::nullopt;
}

std::optional<double> optional_real(const Statement& row, int column) {
  return row.is_null(column) ? std::nullopt : std::optional(row.real(column));
}

Result<JobState> state_of(std::string_view word) {
  const auto& names = EnumNames<JobState>::names;
  auto at = std::ranges::find(names, word);
  if (at == names.end()) {
    return fail(ErrorCode::corrupt, "jobs.db holds the unknown word `" + std::string(word) + "`");
  }
  return static_cast<JobState>(at - names.begin());
}

// Of a SELECT that begins with id, owner, tool, state, status_message, created_ms, updated_ms,
// ttl_ms, progress, total.
Result<JobRow> head_of(const Statement& row) {
  JobRow job{.id = std::string(row.text(0)),
             .owner = std::string(row.text(1)),
             .tool = std::string(row.text(2)),
             .status_message = std::string(row.text(4)),
             .created_ms = row.integer(5),
             .updated_ms = row.integer(6),
             .progress = optional_real(row, 8),
             .total = optional_real(row, 9),
             .ttl_ms = row.integer(7)};
  TRY_ASSIGN(job.state, state_of(row.text(3)));
  return job;
}

// Of one that goes on with arguments, requests, error, result.
Result<JobRow> whole_of(const Statement& row) {
  TRY_ASSIGN(JobRow job, head_of(row));
  job.arguments = row.text(10);
  job.requests = row.text(11);
  job.error = row.text(12);
  job.result = row.text(13);
  return job;
}

Result<std::vector<JobRow>> rows_of(Statement rows, Result<JobRow> (*read)(const Statement&)) {
  std::vector<JobRow> jobs;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return jobs;
    }
    TRY_ASSIGN(JobRow job, read(rows));
    jobs.push_back(std::move(job));
  }
}

} // namespace

Result<JobStore> JobStore::open(const std::string& path) {
  // The id of a job is a promise, which its caller may have written down elsewhere.
  TRY_ASSIGN(Database database, Database::open(path, job_migrations(), Durability::power_failure));
  JobStore store(std::move(database));
  // Sound pages may hold rows that cannot be read: that shows while they can be put aside.
  TRY(store.list({}, {}, -1));
  return store;
}

Result<void> JobStore::insert(const JobRow& row) {
  TRY(m_database.run("INSERT INTO jobs (id, owner, tool, state, status_message, created_ms,"
                     " updated_ms, ttl_ms, progress, total, arguments, requests, error, result)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                     " ON CONFLICT (id) DO NOTHING",
                     row.id,
                     row.owner,
                     row.tool,
                     enum_name(row.state),
                     row.status_message,
                     row.created_ms,
                     row.updated_ms,
                     row.ttl_ms,
                     real_or_null(row.progress),
                     real_or_null(row.total),
                     row.arguments,
                     row.requests,
                     row.error,
                     row.result));
  if (m_database.changes() == 0) {
    return fail(ErrorCode::already_exists, "there is a job `" + row.id + "` already");
  }
  return {};
}

Result<void> JobStore::update(const JobRow& row) {
  TRY(m_database.run("UPDATE jobs SET state = ?, status_message = ?, updated_ms = ?, progress = ?,"
                     " total = ?, requests = ?, error = ?, result = ? WHERE id = ?",
                     enum_name(row.state),
                     row.status_message,
                     row.updated_ms,
                     real_or_null(row.progress),
                     real_or_null(row.total),
                     row.requests,
                     row.error,
                     row.result,
                     row.id));
  if (m_database.changes() == 0) {
    return fail(ErrorCode::not_found, "there is no job `" + row.id + "`");
  }
  return {};
}

Result<std::optional<JobRow>> JobStore::find(std::string_view id) {
  TRY_ASSIGN(Statement row,
             m_database.query("SELECT id, owner, tool, state, status_message, created_ms,"
                              " updated_ms, ttl_ms, progress, total, arguments, requests, error,"
                              " result FROM jobs WHERE id = ?",
                              id));
  TRY_ASSIGN(bool found, row.step());
  if (!found) {
    return std::optional<JobRow>();
  }
  TRY_ASSIGN(JobRow job, whole_of(row));
  return std::optional(std::move(job));
}

Result<std::vector<JobRow>> JobStore::list(std::string_view owner,
                                           const std::optional<JobPosition>& after,
                                           std::int64_t limit) {
  JobPosition start = after.value_or(JobPosition{});
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, owner, tool, state, status_message, created_ms,"
                              " updated_ms, ttl_ms, progress, total FROM jobs"
                              " WHERE (?1 = '' OR owner = ?1)"
                              " AND (?2 = 0 OR created_ms < ?3 OR (created_ms = ?3 AND id < ?4))"
                              " ORDER BY created_ms DESC, id DESC LIMIT ?5",
                              owner,
                              after ? std::int64_t{1} : std::int64_t{0},
                              start.created_ms,
                              start.id,
                              limit));
  return rows_of(std::move(rows), head_of);
}

Result<std::vector<JobRow>> JobStore::unfinished() {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT id, owner, tool, state, status_message, created_ms,"
                              " updated_ms, ttl_ms, progress, total, arguments, requests, error,"
                              " result FROM jobs WHERE state IN ('working', 'input_required')"
                              " ORDER BY created_ms, id"));
  return rows_of(std::move(rows), whole_of);
}

Result<std::int64_t> JobStore::fail_unfinished(std::string_view status_message,
                                               std::string_view error,
                                               std::int64_t time_ms) {
  TRY(m_database.run("UPDATE jobs SET state = 'failed', status_message = ?, error = ?,"
                     " requests = '', updated_ms = ?"
                     " WHERE state IN ('working', 'input_required')",
                     status_message,
                     error,
                     time_ms));
  return m_database.changes();
}

Result<std::int64_t> JobStore::purge(std::int64_t time_ms, std::int64_t most) {
  TRY(m_database.run("DELETE FROM jobs WHERE state NOT IN ('working', 'input_required')"
                     " AND updated_ms + ttl_ms < ?",
                     time_ms));
  std::int64_t removed = m_database.changes();
  // A negative OFFSET would mean none.
  TRY(m_database.run("DELETE FROM jobs WHERE id IN (SELECT id FROM jobs"
                     " WHERE state NOT IN ('working', 'input_required')"
                     " ORDER BY updated_ms DESC, id DESC LIMIT -1 OFFSET ?)",
                     std::max<std::int64_t>(most, 0)));
  return removed + m_database.changes();
}

} // namespace upskill::store
