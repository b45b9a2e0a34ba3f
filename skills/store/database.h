#pragma once
#include "protocol/base/hash.h"
#include "protocol/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace upskill::store {

// SQL is part of the program, never put together from input: only a literal converts.
class Sql {
public:
  consteval Sql(const char* literal)
      : m_text(literal) {}

  const char* text() const { return m_text; }

private:
  const char* m_text;
};

// Bytes that are no text.
struct Blob {
  std::string_view bytes;
};

// A number that is no integer; a type of its own, so that an integer is never taken for one.
struct Real {
  double value;
};

// A prepared statement on loan from its database's cache, which it must not outlive; given back,
// reset, when it goes. Parameters count from 1, columns from 0.
class Statement {
public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  // Copies, unless borrow() came first. Text may be any bytes: file names need not be UTF-8, and
  // SQLite keeps them as they are.
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, Blob blob);
  Statement& bind(int parameter, Real number);
  Statement& bind(int parameter, const Digest& digest);
  Statement& bind(int parameter, std::nullopt_t);

  template <class T> Statement& bind(int parameter, const std::optional<T>& value) {
    return value ? bind(parameter, *value) : bind(parameter, std::nullopt);
  }

  // What is bound from now on is not copied, and must live until the statement is done.
  Statement& borrow() {
    m_borrows = true;
    return *this;
  }

  // Binds all parameters in order, from 1.
  template <class... Values> Statement& bind_all(const Values&... values) {
    int parameter = 0;
    (bind(++parameter, values), ...);
    return *this;
  }

  // To the next row; false after the last. A failed bind is reported here.
  Result<bool> step();
  // To the end.
  Result<void> run();
  // To be bound and run again.
  void reset();

  bool is_null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  // Views end at the next step.
  std::string_view text(int column) const;
  std::string_view blob(int column) const;
  // corrupt when the column is neither null nor 32 bytes.
  Result<std::optional<Digest>> digest(int column) const;

private:
  friend class Database;
  Statement(sqlite3_stmt* statement, bool* lent);
  void note(int code);

  sqlite3_stmt* m_statement;
  bool* m_lent; // the cache's mark; nullptr when the statement is not of the cache
  int m_failure = 0;
  bool m_borrows = false;
};

class Database;

// Rolls back unless committed. Within another one it is a savepoint, so that a function that needs
// a transaction can be called inside a batch. Must end before its database does.
class Transaction {
public:
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<void> commit();

private:
  friend class Database;
  Transaction(sqlite3* handle, bool nested);

  sqlite3* m_handle; // nullptr when it has ended
  bool m_nested;
};

// Brings a database from version n to n + 1, n being its place in the list.
using Migration = Sql;

// What a commit outlives; none is ever torn.
enum class Durability {
  crash,        // of ours. At power failure the last commits may be lost; they cost no fsync
  power_failure // that, too: each commit is on the disk before it returns
};

// One connection to one of our own databases. Used by one thread at a time; never throws.
//
// WAL. sync.db outlives crashes only: lost commits cost it work, not versions, because state that
// is lost or old leads to a union, never to a deletion (sync facts, rule 4).
// The page cache is bounded to 1 MiB and nothing is mapped, so that the daemon stays small.
class Database {
public:
  // Opens or makes `path` (0600, its folder 0700) and brings it to version migrations.size().
  // unsupported: it is of a newer version of ours, or another program's; it is left as it is.
  // corrupt: set it aside (set_aside_database) and open again. All pages are checked; damage that
  // comes later shows where it is met, and to whoever opens it next.
  static Result<Database> open(const std::string& path,
                               std::span<const Migration> migrations,
                               Durability durability = Durability::crash);

  Database(Database&&) noexcept;
  Database& operator=(Database&&) noexcept;
  ~Database();

  Result<Statement> prepare(Sql sql);

  template <class... Values> Result<Statement> query(Sql sql, const Values&... values) {
    TRY_ASSIGN(Statement statement, prepare(sql));
    statement.bind_all(values...);
    return statement;
  }

  // Binds, runs to the end.
  template <class... Values> Result<void> run(Sql sql, const Values&... values) {
    TRY_ASSIGN(Statement statement, prepare(sql));
    statement.borrow().bind_all(values...);
    return statement.run();
  }

  // Several statements without parameters.
  Result<void> execute(Sql sql);
  // Takes the write lock at once: busy after 2 s (k_busy_timeout) of another's holding it.
  Result<Transaction> begin();

  std::int64_t last_insert_id() const;
  // Rows changed by the last statement.
  std::int64_t changes() const;
  const std::string& path() const;

private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  sqlite3* handle() const;

  std::unique_ptr<State> m_state;
};

inline constexpr int k_busy_timeout = 2000; // milliseconds

// Renames a database with its -wal and -shm to `<path>.corrupt-<UTC time>`, so that a new one can
// be begun; returns that path. `time_ms` is Unix time. Nobody may have it open.
Result<std::string> set_aside_database(const std::string& path, std::int64_t time_ms);

} // namespace upskill::store
