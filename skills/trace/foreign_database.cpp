#include "skills/trace/foreign_database.h"

#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <utility>

namespace upskill::trace {
namespace {

constexpr int k_wait_ms = 50;
constexpr int k_max_row = 64 << 20;          // bytes
constexpr int k_steps_between = 1'000'000;   // of SQLite's machine, before it asks
constexpr std::int64_t k_max_asked = 20'000; // some minutes

// How a database that is not ours can be read without a trace.
enum class Access { shared, unchanging };

struct Source {
  Access access = Access::shared;
  bool is_wal = false;
  struct stat status = {};
};

std::optional<struct stat> status_of(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

// The file has to be looked at before SQLite has it open, because closing any descriptor of it
// drops SQLite's locks (https://www.sqlite.org/howtocorrupt.html, 2.2).
Result<Source> look_at(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  Source source;
  if (fd.get() < 0 || ::fstat(fd.get(), &source.status) != 0) {
    return fail(system_error(errno, "cannot open database " + in_backticks(path)));
  }
  char head[20] = {};
  if (!S_ISREG(source.status.st_mode) || ::pread(fd.get(), head, sizeof head, 0) != sizeof head
      || std::string_view(head, 16) != std::string_view("SQLite format 3\0", 16)) {
    return fail(ErrorCode::corrupt, in_backticks(path) + " is no SQLite database");
  }
  source.is_wal = head[18] == 2; // https://www.sqlite.org/fileformat2.html, 1.3.3
  std::optional<struct stat> wal = status_of(path + "-wal");
  if (!source.is_wal) {
    return source;
  }
  if (!wal || (wal->st_size == 0 && !status_of(path + "-shm"))) {
    source.access = Access::unchanging;
  } else if (!status_of(path + "-shm")) {
    return fail(ErrorCode::unavailable,
                "database " + in_backticks(path) + " has a `-wal` beside it, and no `-shm`",
                "start its program once, which brings it in order");
  }
  return source;
}

bool is_unchanged(const Source& source, const std::string& path) {
  if (source.access == Access::shared) {
    return true;
  }
  std::optional<struct stat> now = status_of(path);
  std::optional<struct stat> wal = status_of(path + "-wal");
  return now && now->st_ino == source.status.st_ino && now->st_size == source.status.st_size
         && now->st_mtim.tv_sec == source.status.st_mtim.tv_sec
         && now->st_mtim.tv_nsec == source.status.st_mtim.tv_nsec && (!wal || wal->st_size == 0);
}

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

// A new file of ours that is gone again unless it is kept.
class NewFile {
public:
  explicit NewFile(const std::string& path)
      : m_path(path) {}

  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  ~NewFile() {
    if (m_is_made && !m_is_kept) {
      ::unlink(m_path.c_str());
    }
  }

  Result<void> make() {
    UniqueFd fd(::open(m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (fd.get() < 0) {
      return errno == EEXIST
                 ? fail(ErrorCode::already_exists, in_backticks(m_path) + " exists already")
                 : fail(system_error(errno, "cannot make " + in_backticks(m_path)));
    }
    m_is_made = true;
    return {};
  }

  void keep() { m_is_kept = true; }

private:
  const std::string& m_path;
  bool m_is_made = false;
  bool m_is_kept = false;
};

// One run of the backup interface (https://www.sqlite.org/backup.html).
class Copy {
public:
  Copy(sqlite3* to, sqlite3* from)
      : m_to(to)
      , m_from(from)
      , m_backup(sqlite3_backup_init(to, "main", from, "main")) {}

  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  ~Copy() { sqlite3_backup_finish(m_backup); }

  Result<void>
  run(const CopyBudget& budget, const std::string& from_path, const std::string& to_path) {
    if (m_backup == nullptr) {
      return fail(foreign_database_error(m_to, sqlite3_errcode(m_to), to_path));
    }
    int left = 0; // pages, after the last step
    int waits = 0;
    int restarts = 0;
    while (true) {
      if (budget.may_go_on && !budget.may_go_on()) {
        return fail(ErrorCode::cancelled,
                    "the copy of database " + in_backticks(from_path) + " was cancelled");
      }
      int code = sqlite3_backup_step(m_backup, budget.pages_at_once);
      if (code == SQLITE_DONE) {
        return {};
      }
      bool is_busy = (code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED;
      int now_left = sqlite3_backup_remaining(m_backup);
      // Written to by another, it is begun again; then there is no less to do than before.
      restarts += code == SQLITE_OK && left > 0 && now_left >= left ? 1 : 0;
      if ((is_busy && ++waits > budget.max_waits) || restarts > budget.max_restarts) {
        return fail(foreign_database_error(m_from, SQLITE_BUSY, from_path));
      }
      if (!is_busy && code != SQLITE_OK) {
        return fail(foreign_database_error(m_from, code, from_path));
      }
      left = now_left;
    }
  }

private:
  sqlite3* m_to;
  sqlite3* m_from;
  sqlite3_backup* m_backup;
};

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
    return {ErrorCode::busy, what + ": another program is writing to it", "try again"};
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
  TRY_ASSIGN(Source source, look_at(from));
  std::optional<struct stat> wal = status_of(from + "-wal");
  std::uint64_t size = static_cast<std::uint64_t>(source.status.st_size)
                       + static_cast<std::uint64_t>(wal ? wal->st_size : 0);
  if (size > budget.max_bytes) {
    return fail(ErrorCode::too_large,
                "database " + in_backticks(from) + " has " + std::to_string(size)
                    + " bytes, of which at most " + std::to_string(budget.max_bytes)
                    + " are copied");
  }
  NewFile file(to);
  TRY(file.make());
  bool is_shared = source.access == Access::shared;
  TRY_ASSIGN(DatabaseHandle input,
             open_uri(from,
                      uri_of(from, is_shared ? "mode=ro" : "mode=ro&immutable=1"),
                      SQLITE_OPEN_READONLY));
  TRY_ASSIGN(DatabaseHandle output, open_uri(to, uri_of(to, "mode=rw"), SQLITE_OPEN_READWRITE));
  sqlite3_busy_timeout(input.get(), k_wait_ms);
  // What is half done is removed, so nothing need be kept for the case that we are killed.
  TRY(run(output.get(), "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", to));
  if (source.is_wal) {
    // Readers hold nobody up there, so all of it is of one moment, and never begun again.
    TRY(run(input.get(), "BEGIN; SELECT count(*) FROM sqlite_schema", from));
  }
  TRY(Copy(output.get(), input.get()).run(budget, from, to));
  input.reset();
  output.reset();
  if (!is_unchanged(source, from)) {
    return fail(ErrorCode::changed,
                "database " + in_backticks(from) + " was written to while it was copied",
                "try again");
  }
  file.keep();
  return {};
}

Result<DatabaseHandle> open_copy(const std::string& path) {
  TRY(look_at(path));
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
