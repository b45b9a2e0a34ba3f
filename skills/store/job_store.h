#pragma once
#include "protocol/types/jobs.h"
#include "skills/store/database.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::store {

// One job. Texts that are JSON belong to the caller, who alone reads them; empty: there is none.
struct JobRow {
  std::string id = {};
  std::string owner = {}; // who may see it
  std::string tool = {};
  std::string arguments = {}; // JSON
  JobState state = JobState::working;
  std::string status_message = {};
  std::int64_t created_ms = 0; // Unix time, as all here
  std::int64_t updated_ms = 0;
  std::optional<double> progress = {};
  std::optional<double> total = {};
  std::string requests = {}; // JSON: what it waits to be told
  std::string result = {};   // JSON
  std::string error = {};    // JSON
  std::int64_t ttl_ms = 0;   // how long it is kept after its end

  friend bool operator==(const JobRow&, const JobRow&) = default;
};

// A job's place in the list of all of them: newest first, and by id what began at the same time.
struct JobPosition {
  std::int64_t created_ms = 0;
  std::string id = {};
};

// jobs.db: what was begun and has not ended, and for a while what has. What is committed outlives a
// power failure. The only SQL on it is in job_store.cpp. Used by one thread at a time, as its
// Database.
class JobStore {
public:
  // Errors as of Database::open; corrupt too where a row cannot be read.
  static Result<JobStore> open(const std::string& path);

  Result<Transaction> begin() { return m_database.begin(); }

  // already_exists where the id is taken.
  Result<void> insert(const JobRow& row);
  // The whole row but for what never changes: owner, tool, arguments, creation, ttl. not_found when
  // it is gone.
  Result<void> update(const JobRow& row);
  Result<std::optional<JobRow>> find(std::string_view id);
  // At most `limit` after that position, or from the newest; only of `owner` unless that is empty.
  // Without arguments, requests, result and error, which may be large.
  Result<std::vector<JobRow>>
  list(std::string_view owner, const std::optional<JobPosition>& after, std::int64_t limit);
  // All that have not ended, oldest first.
  Result<std::vector<JobRow>> unfinished();
  // Ends all that have not ended, as failed, for one reason. Their number.
  Result<std::int64_t>
  fail_unfinished(std::string_view status_message, std::string_view error, std::int64_t time_ms);
  // Removes what ended longer ago than it is to be kept, and of the others that ended all but the
  // newest `most`. Their number.
  Result<std::int64_t> purge(std::int64_t time_ms, std::int64_t most);

private:
  explicit JobStore(Database database)
      : m_database(std::move(database)) {}

  Database m_database;
};

} // namespace upskill::store
