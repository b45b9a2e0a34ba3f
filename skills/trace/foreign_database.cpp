#include "skills/trace/foreign_database.h"

#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/trace/database_files.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

namespace upskill::trace {
namespace {

constexpr int k_wait_ms = 50;
constexpr int k_max_row = 64 << 20;          // bytes
constexpr int k_steps_between = 1'000'000;   // of SQLite's machine, before it asks
constexpr std::int64_t k_max_asked = 20'000; // some minutes

constexpr std::uint64_t k_step_bytes = 4096; // of a page, as most have it

// A path may hold what means something in a URI.
std::string uri_of(const std::string& path, std::string_view parameters) {
  static constexpr char k_digits[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (char c : path) {
    bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
                    || c == '/' || c == '.' || c == '-' || c == '_';
    if (is_plain) {
      uri += c;
    } else {
      uri += '%';
      uri += k_digits[static_cast<unsigned char>(c) >> 4];
      uri += k_digits[static_cast<unsigned char>(c) & 15];
    }
  }
  uri += '?';
  uri += parameters;
  return uri;
}

Result<DatabaseHandle> open_uri(const std::string& path, const std::string& uri, int flags) {
  sqlite3* handle = nullptr;
  int code =
      sqlite3_open_v2(uri.c_str(), &handle, flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  DatabaseHandle database(handle);
  if (code != SQLITE_OK) {
    return fail(foreign_database_error(handle, code, path));
  }
  sqlite3_extended_result_codes(handle, 1);
  return database;
}

Result<void> run(sqlite3* database, const char* sql, const std::string& path) {
  int code = sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    return fail(foreign_database_error(database, code, path));
  }
  return {};
}

// Not 0: the query ends.
int count_down(void* left) {
  return --*static_cast<std::int64_t*>(left) < 0 ? 1 : 0;
}

Error cancelled(const std::string& path) {
  return {ErrorCode::cancelled, "the copy of database " + in_backticks(path) + " was cancelled"};
}

Result<void> copy_file(int from, const std::string& path, NewFile& to, const CopyBudget& budget) {
  std::string room(static_cast<std::size_t>(budget.pages_at_once) * k_step_bytes, '\0');
  std::uint64_t at = 0;
  while (true) {
    if (budget.may_go_on && !budget.may_go_on()) {
      return fail(cancelled(path));
    }
    ssize_t got = ::pread(from, room.data(), room.size(), static_cast<off_t>(at));
    if (got < 0 && errno != EINTR) {
      return fail(system_error(errno, "cannot read database " + in_backticks(path)));
    }
    if (got == 0) {
      return to.cut(at);
    }
    TRY(to.write(
        std::string_view(room).substr(0, static_cast<std::size_t>(std::max<ssize_t>(got, 0))), at));
    at += static_cast<std::uint64_t>(std::max<ssize_t>(got, 0));
    if (at > budget.max_bytes) {
      return fail(foreign_database_error(nullptr, SQLITE_TOOBIG, path));
    }
  }
}

// Brings what the -wal of a copy holds into it.
Result<void> settle(const std::string& copy, const std::string& from) {
  TRY_ASSIGN(DatabaseHandle database,
             open_uri(from, uri_of(copy, "mode=rw"), SQLITE_OPEN_READWRITE));
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return run(database.get(), "PRAGMA synchronous=OFF; PRAGMA journal_mode=DELETE", from);
}

} // namespace

void CloseDatabase::operator()(sqlite3* database) const {
  sqlite3_close_v2(database);
}

Error foreign_database_error(sqlite3* database, int code, const std::string& path) {
  int errno_value = database == nullptr ? 0 : sqlite3_system_errno(database);
  std::string what = "cannot read database " + in_backticks(path);
  std::string reason = std::string(": ") + sqlite3_errstr(code);
  switch (code & 0xFF) {
  case SQLITE_FULL:
    return {ErrorCode::no_space, what + reason, "free some space"};
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    return {ErrorCode::corrupt, what + reason};
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return {ErrorCode::busy, what + ": another program has it locked", "try again"};
  case SQLITE_READONLY: // a journal lies there that its writer did not come to the end of
    return {ErrorCode::unavailable,
            what + ": its program stopped in the middle of a change",
            "start that program once, which brings it in order"};
  case SQLITE_PERM:
  case SQLITE_AUTH:
    return {ErrorCode::permission, what + reason};
  case SQLITE_TOOBIG:
  case SQLITE_INTERRUPT:
    return {ErrorCode::too_large, what + ": there is too much in it"};
  case SQLITE_NOMEM:
    return {ErrorCode::too_large, what + reason};
  case SQLITE_ERROR:
    return {ErrorCode::unsupported,
            what + ": " + (database == nullptr ? "" : to_valid_utf8(sqlite3_errmsg(database)))};
  default:
    return errno_value != 0 ? system_error(errno_value, what) : Error{ErrorCode::io, what + reason};
  }
}

Result<void>
copy_database(const std::string& from, const std::string& to, const CopyBudget& budget) {
  NewFile file(to);
  NewFile wal(to + "-wal");
  bool has_wal = false;
  int waits = 0;
  int restarts = 0;
  while (true) {
    Original original(from);
    TRY(original.open());
    if (original.size() > budget.max_bytes) {
      return fail(ErrorCode::too_large,
                  "database " + in_backticks(from) + " has " + std::to_string(original.size())
                      + " bytes, of which at most " + std::to_string(budget.max_bytes)
                      + " are copied");
    }
    if (waits == 0 && restarts == 0) {
      TRY(file.make());
    }
    TRY_ASSIGN(bool is_held, original.is_held());
    while (is_held) {
      if (budget.may_go_on && !budget.may_go_on()) {
        return fail(cancelled(from));
      }
      if (++waits > budget.max_waits) {
        return fail(foreign_database_error(nullptr, SQLITE_BUSY, from));
      }
      sqlite3_sleep(k_wait_ms);
      original.mark(); // before it is asked: a writer that comes later changes what is marked
      TRY_ASSIGN(is_held, original.is_held());
    }
    TRY(copy_file(original.database(), from, file, budget));
    if (original.has_wal()) {
      if (!has_wal) {
        TRY(wal.make());
        has_wal = true;
      }
      TRY(copy_file(original.wal(), from, wal, budget));
    } else if (has_wal) {
      TRY(wal.cut(0));
    }
    if (original.is_as_before()) {
      if (original.is_wal()) {
        Result<void> settled = settle(to, from);
        ::unlink((to + "-shm").c_str());
        TRY(settled);
      }
      file.keep();
      return {};
    }
    if (++restarts > budget.max_restarts) {
      return fail(ErrorCode::changed,
                  "database " + in_backticks(from) + " was written to while it was copied",
                  "try again");
    }
  }
}

Result<DatabaseHandle> open_copy(const std::string& path) {
  TRY(open_database(path));
  TRY_ASSIGN(DatabaseHandle database,
             open_uri(path, uri_of(path, "mode=ro&immutable=1"), SQLITE_OPEN_READONLY));
  sqlite3* handle = database.get();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, k_max_row);
  database.get_deleter().left = std::make_unique<std::int64_t>(k_max_asked);
  sqlite3_progress_handler(handle, k_steps_between, count_down, database.get_deleter().left.get());
  TRY(run(handle, "PRAGMA cell_size_check=ON; PRAGMA query_only=ON", path));
  return database;
}

} // namespace upskill::trace
