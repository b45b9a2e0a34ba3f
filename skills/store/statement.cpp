#include "skills/store/database.h"
#include "skills/store/database_error.h"

#include <sqlite3.h>

#include <algorithm>
#include <utility>

namespace upskill::store {
namespace {

std::string path_of(sqlite3_stmt* statement) {
  const char* path = sqlite3_db_filename(sqlite3_db_handle(statement), "main");
  return path == nullptr ? std::string() : std::string(path);
}

} // namespace

Statement::Statement(sqlite3_stmt* statement, bool* lent)
    : m_statement(statement)
    , m_lent(lent) {
  if (m_lent != nullptr) {
    *m_lent = true;
  }
}

Statement::Statement(Statement&& other) noexcept
    : m_statement(std::exchange(other.m_statement, nullptr))
    , m_lent(std::exchange(other.m_lent, nullptr))
    , m_failure(other.m_failure)
    , m_borrows(other.m_borrows) {}

Statement::~Statement() {
  if (m_statement == nullptr) {
    return;
  }
  if (m_lent == nullptr) {
    sqlite3_finalize(m_statement);
    return;
  }
  sqlite3_reset(m_statement);
  sqlite3_clear_bindings(m_statement);
  *m_lent = false;
}

void Statement::note(int code) {
  if (m_failure == SQLITE_OK) {
    m_failure = code;
  }
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  note(sqlite3_bind_int64(m_statement, parameter, value));
  return *this;
}

Statement& Statement::bind(int parameter, std::string_view text) {
  // A null pointer would bind NULL, and an empty view may hold one.
  note(sqlite3_bind_text64(m_statement,
                           parameter,
                           text.empty() ? "" : text.data(),
                           text.size(),
                           m_borrows ? SQLITE_STATIC : SQLITE_TRANSIENT,
                           SQLITE_UTF8));
  return *this;
}

Statement& Statement::bind(int parameter, Blob blob) {
  note(sqlite3_bind_blob64(m_statement,
                           parameter,
                           blob.bytes.empty() ? "" : blob.bytes.data(),
                           blob.bytes.size(),
                           m_borrows ? SQLITE_STATIC : SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind(int parameter, Real number) {
  note(sqlite3_bind_double(m_statement, parameter, number.value));
  return *this;
}

Statement& Statement::bind(int parameter, const Digest& digest) {
  return bind(parameter,
              Blob{{reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()}});
}

Statement& Statement::bind(int parameter, std::nullopt_t) {
  note(sqlite3_bind_null(m_statement, parameter));
  return *this;
}

Result<bool> Statement::step() {
  int code = m_failure != SQLITE_OK ? m_failure : sqlite3_step(m_statement);
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code == SQLITE_DONE) {
    return false;
  }
  return fail(database_error(sqlite3_db_handle(m_statement), code, path_of(m_statement)));
}

Result<void> Statement::run() {
  for (;;) {
    TRY_ASSIGN(bool more, step());
    if (!more) {
      return {};
    }
  }
}

void Statement::reset() {
  sqlite3_reset(m_statement);
  m_failure = SQLITE_OK;
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(m_statement, column);
}

double Statement::real(int column) const {
  return sqlite3_column_double(m_statement, column);
}

std::string_view Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

std::string_view Statement::blob(int column) const {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(m_statement, column));
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

Result<std::optional<Digest>> Statement::digest(int column) const {
  if (is_null(column)) {
    return std::optional<Digest>();
  }
  std::string_view bytes = blob(column);
  Digest digest;
  if (bytes.size() != digest.bytes.size()) {
    return fail(ErrorCode::corrupt,
                "column `" + std::string(sqlite3_column_name(m_statement, column)) + "` of `"
                    + path_of(m_statement) + "` does not hold a hash");
  }
  std::ranges::copy(bytes, digest.bytes.begin());
  return std::optional<Digest>(digest);
}

} // namespace upskill::store
