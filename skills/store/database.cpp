#include "skills/store/database.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "skills/store/database_error.h"
#include "skills/store/timestamp.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <unordered_map>
#include <utility>

namespace upskill::store {
namespace {

// Once, before the first database: SQLite then does not count each allocation under a lock. Its
// memory is bounded by every connection's cache_size.
void configure_library() {
  [[maybe_unused]] static const int once = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

struct Cached {
  sqlite3_stmt* statement = nullptr;
  bool lent = false;
};

// SQLite gives its -wal and -shm the mode of the database. O_EXCL, because closing a descriptor of
// a database that this process has open would drop its locks
// (https://www.sqlite.org/howtocorrupt.html).
Result<void> create_private(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return errno == EEXIST ? Result<void>{}
                           : fail(system_error(errno, "cannot make database `" + path + "`"));
  }
  ::close(fd);
  return {};
}

} // namespace

struct Database::State {
  std::string path;
  sqlite3* handle = nullptr;
  // By the literal's address: the same words at another place are only prepared twice.
  std::unordered_map<const char*, Cached> statements = {};

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  ~State() {
    for (auto& [text, cached] : statements) {
      sqlite3_finalize(cached.statement);
    }
    sqlite3_close_v2(handle);
  }

  Error error(int code) const { return database_error(handle, code, path); }

  Result<void> execute(const char* text) {
    int code = sqlite3_exec(handle, text, nullptr, nullptr, nullptr);
    return code == SQLITE_OK ? Result<void>{} : fail(error(code));
  }
};

namespace {

Result<std::int64_t> number(Database& database, Sql sql) {
  TRY_ASSIGN(Statement statement, database.prepare(sql));
  TRY(statement.step());
  return statement.integer(0);
}

// What it is, before anything of it is changed.
Result<void> check_version(Database& database, std::size_t newest) {
  TRY_ASSIGN(std::int64_t version, number(database, "PRAGMA user_version"));
  if (version > static_cast<std::int64_t>(newest) || version < 0) {
    return fail(ErrorCode::unsupported,
                "database `" + database.path() + "` is of version " + std::to_string(version)
                    + ", this program knows up to " + std::to_string(newest),
                "update upskill, or move the file aside to begin anew");
  }
  TRY_ASSIGN(std::int64_t tables, number(database, "SELECT count(*) FROM sqlite_schema"));
  if (version == 0 && tables > 0) {
    return fail(ErrorCode::unsupported,
                "database `" + database.path() + "` was not made by upskill",
                "move the file aside");
  }
  return {};
}

Result<void> configure(Database& database, Durability durability) {
  TRY_ASSIGN(Statement journal, database.prepare("PRAGMA journal_mode=WAL"));
  TRY(journal.step());
  // A file system without shared memory keeps the old journal, which NORMAL does not protect.
  bool is_logged = journal.text(0) == "wal";
  journal.reset();
  bool is_normal = is_logged && durability == Durability::crash;
  TRY(database.execute(is_normal ? Sql("PRAGMA synchronous=NORMAL")
                                 : Sql("PRAGMA synchronous=FULL")));
  return database.execute("PRAGMA foreign_keys=ON;"
                          "PRAGMA mmap_size=0;"
                          "PRAGMA cache_size=-1024;"
                          "PRAGMA temp_store=MEMORY;"
                          "PRAGMA journal_size_limit=4194304");
}

// Some 35 ms for 10,000 skills: less than a person loses by damage that shows in the middle.
Result<void> check_pages(Database& database) {
  TRY_ASSIGN(Statement check, database.prepare("PRAGMA quick_check(1)"));
  TRY(check.step());
  if (check.text(0) != "ok") {
    return fail(ErrorCode::corrupt,
                "database `" + database.path() + "` is damaged: " + std::string(check.text(0)),
                "move the file aside; a new one is made, and no skill is lost by it");
  }
  return {};
}

} // namespace

Result<Database> Database::open(const std::string& path,
                                std::span<const Migration> migrations,
                                Durability durability) {
  TRY(make_directories(parent_path(path), 0700));
  TRY(create_private(path));
  configure_library();
  auto state = std::make_unique<State>();
  state->path = path;
  int code = sqlite3_open_v2(path.c_str(),
                             &state->handle,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
                                 | SQLITE_OPEN_EXRESCODE,
                             nullptr);
  if (code != SQLITE_OK) {
    return fail(state->error(code));
  }
  sqlite3* handle = state->handle;
  sqlite3_busy_timeout(handle, k_busy_timeout);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // Until it is known to be ours, closing must not write it.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  Database database(std::move(state));
  TRY(check_version(database, migrations.size()));
  sqlite3_db_config(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, nullptr);
  TRY(configure(database, durability));
  TRY(check_pages(database));
  for (;;) {
    // Within the transaction, because another process may be at the same.
    TRY_ASSIGN(std::int64_t seen, number(database, "PRAGMA user_version"));
    if (seen >= static_cast<std::int64_t>(migrations.size())) {
      break;
    }
    TRY_ASSIGN(Transaction transaction, database.begin());
    TRY_ASSIGN(std::int64_t version, number(database, "PRAGMA user_version"));
    if (version >= static_cast<std::int64_t>(migrations.size())) {
      continue;
    }
    TRY(database.execute(migrations[static_cast<std::size_t>(version)]));
    std::string mark = "PRAGMA user_version=" + std::to_string(version + 1);
    TRY(database.m_state->execute(mark.c_str()));
    TRY(transaction.commit());
  }
  return database;
}

Database::Database(std::unique_ptr<State> state)
    : m_state(std::move(state)) {}

Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

sqlite3* Database::handle() const {
  return m_state->handle;
}

Result<Statement> Database::prepare(Sql sql) {
  Cached& cached = m_state->statements[sql.text()];
  // One that is in use, as by a visitor around us, is not to be disturbed.
  bool shared = !cached.lent;
  sqlite3_stmt* statement = shared ? cached.statement : nullptr;
  if (statement == nullptr) {
    int code = sqlite3_prepare_v3(
        handle(), sql.text(), -1, shared ? SQLITE_PREPARE_PERSISTENT : 0, &statement, nullptr);
    if (code != SQLITE_OK) {
      return fail(m_state->error(code));
    }
  }
  if (!shared) {
    return Statement(statement, nullptr);
  }
  cached.statement = statement;
  return Statement(statement, &cached.lent);
}

Result<void> Database::execute(Sql sql) {
  return m_state->execute(sql.text());
}

Result<Transaction> Database::begin() {
  bool nested = sqlite3_get_autocommit(handle()) == 0;
  TRY(run(nested ? Sql("SAVEPOINT inner_transaction") : Sql("BEGIN IMMEDIATE")));
  return Transaction(handle(), nested);
}

std::int64_t Database::last_insert_id() const {
  return sqlite3_last_insert_rowid(handle());
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(handle());
}

const std::string& Database::path() const {
  return m_state->path;
}

Transaction::Transaction(sqlite3* handle, bool nested)
    : m_handle(handle)
    , m_nested(nested) {}

Transaction::Transaction(Transaction&& other) noexcept
    : m_handle(std::exchange(other.m_handle, nullptr))
    , m_nested(other.m_nested) {}

Transaction::~Transaction() {
  // Some failures (no space, for one) have rolled everything back already.
  if (m_handle == nullptr || sqlite3_get_autocommit(m_handle) != 0) {
    return;
  }
  // Nothing can be done about a failure here: the transaction is never committed then.
  sqlite3_exec(m_handle,
               m_nested ? "ROLLBACK TO inner_transaction; RELEASE inner_transaction" : "ROLLBACK",
               nullptr,
               nullptr,
               nullptr);
}

Result<void> Transaction::commit() {
  if (m_handle == nullptr || sqlite3_get_autocommit(m_handle) != 0) {
    return fail(ErrorCode::internal, "a transaction that has ended cannot be committed");
  }
  int code = sqlite3_exec(
      m_handle, m_nested ? "RELEASE inner_transaction" : "COMMIT", nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) {
    return fail(database_error(m_handle, code, sqlite3_db_filename(m_handle, "main")));
  }
  m_handle = nullptr;
  return {};
}

Result<std::string> set_aside_database(const std::string& path, std::int64_t time_ms) {
  std::string aside = path + ".corrupt-" + name_of_time(time_ms);
  for (int again = 1; ::access(aside.c_str(), F_OK) == 0; ++again) {
    aside = path + ".corrupt-" + name_of_time(time_ms) + "-" + std::to_string(again);
  }
  // The log goes first: should we be killed in between, it must not be replayed into a new
  // database.
  for (std::string_view part : {"-wal", "-shm", ""}) {
    std::string from = path + std::string(part);
    std::string to = aside + std::string(part);
    if (::rename(from.c_str(), to.c_str()) != 0 && errno != ENOENT) {
      return fail(system_error(errno, "cannot move `" + from + "` aside"));
    }
  }
  return aside;
}

} // namespace upskill::store
