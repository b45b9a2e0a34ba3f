#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

struct sqlite3;

namespace upskill::trace {

// Limits of copy_database.
struct CopyBudget {
  std::uint64_t max_bytes = 64ull << 30;
  int pages_at_once = 64; // of 4 KiB, between two looks at whether to go on
  int max_waits = 200;    // of 50 ms, for a writer that is in the way
  int max_restarts = 100; // because the other one wrote meanwhile
  // Asked before each step; false ends the copy. It may wait, to be kind to the disk.
  std::function<bool()> may_go_on = {};
};

// Copies a SQLite database that another program may be writing to, as it is at one moment, to the
// new file `to` (0600), which is removed again where that fails. `from` and its -wal are read as
// files: SQLite would lock them, and write to the -shm. So nobody waits for the copy, and it is
// taken anew where what was copied is not of one moment. Blocks.
// already_exists: `to` is there. not_found, permission, corrupt, no_space, io: as it says. busy: a
// writer was in the way for too long. changed: it was written to again and again. unavailable: its
// program died in the middle of a change. cancelled.
Result<void>
copy_database(const std::string& from, const std::string& to, const CopyBudget& budget);

struct CloseDatabase {
  void operator()(sqlite3* database) const;

  std::unique_ptr<std::int64_t> left = {}; // how often SQLite may ask whether to go on
};

using DatabaseHandle = std::unique_ptr<sqlite3, CloseDatabase>;

// Opens a copy that nobody writes to. Nothing that its schema says is run, no row may have more
// than 64 MiB, and no query goes on for ever: too_large.
Result<DatabaseHandle> open_copy(const std::string& path);

// What SQLite's result code means of a file that is not ours.
Error foreign_database_error(sqlite3* database, int code, const std::string& path);

} // namespace upskill::trace
