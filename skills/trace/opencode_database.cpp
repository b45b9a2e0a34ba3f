#include "skills/trace/opencode_database.h"

#include "protocol/base/utf8.h"

#include <sqlite3.h>

#include <array>
#include <memory>
#include <utility>

namespace upskill::trace {
namespace {

struct Table {
  const char* name;
  std::array<const char*, 7> columns; // nullptr: there are no more
};

// Of its drizzle schema, what is read (1.2 and later).
constexpr std::array<Table, 3> k_tables{
    Table{"session",
          {"id", "parent_id", "directory", "title", "version", "time_created", "time_updated"}},
    Table{"message", {"id", "session_id", "time_created", "data"}},
    Table{"part", {"id", "message_id", "data"}}};

class Query {
public:
  static Result<Query> make(sqlite3* database, const std::string& path, const char* sql) {
    sqlite3_stmt* statement = nullptr;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, nullptr);
    if (code != SQLITE_OK) {
      return fail(foreign_database_error(database, code, path));
    }
    return Query(database, path, statement);
  }

  // `text` has to live until the next rows were read.
  void bind(int parameter, std::string_view text) {
    sqlite3_bind_text64(
        m_statement.get(), parameter, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }

  void bind(int parameter, std::int64_t number) {
    sqlite3_bind_int64(m_statement.get(), parameter, number);
  }

  Result<bool> step() {
    int code = sqlite3_step(m_statement.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
      return fail(foreign_database_error(m_database, code, m_path));
    }
    return code == SQLITE_ROW;
  }

  void reset() { sqlite3_reset(m_statement.get()); }

  std::int64_t integer(int column) const { return sqlite3_column_int64(m_statement.get(), column); }

  // Up to its first zero byte, behind which SQLite's own JSON does not look. Until the next step.
  std::string_view text(int column) const {
    const unsigned char* bytes = sqlite3_column_text(m_statement.get(), column);
    return bytes == nullptr ? std::string_view{} : reinterpret_cast<const char*>(bytes);
  }

private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };

  Query(sqlite3* database, const std::string& path, sqlite3_stmt* statement)
      : m_database(database)
      , m_path(path)
      , m_statement(statement) {}

  sqlite3* m_database;
  const std::string& m_path;
  std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
};

// Only tables that have pages: a view or a virtual table would be a program of somebody's.
Result<void> check_table(sqlite3* database, const std::string& path, const Table& table) {
  TRY_ASSIGN(Query query,
             Query::make(database,
                         path,
                         "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
                         " AND name = ?1"));
  query.bind(1, std::string_view(table.name));
  TRY(query.step());
  std::string missing = query.integer(0) == 1 ? "" : std::string("table `") + table.name + "`";
  TRY_ASSIGN(
      Query columns,
      Query::make(database, path, "SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2"));
  for (const char* column : table.columns) {
    if (column == nullptr) {
      break;
    }
    columns.reset();
    columns.bind(1, std::string_view(table.name));
    columns.bind(2, std::string_view(column));
    TRY(columns.step());
    if (missing.empty() && columns.integer(0) != 1) {
      missing = std::string("column `") + table.name + "." + column + "`";
    }
  }
  if (!missing.empty()) {
    return fail(ErrorCode::unsupported,
                "database " + in_backticks(path) + " is not one of OpenCode that we know: no "
                    + missing,
                "`opencode export` gives a session as JSON");
  }
  return {};
}

// Writes one document, and counts.
class Rendering {
public:
  explicit Rendering(const std::function<Result<void>(std::string_view)>& write)
      : m_write(write) {}

  Result<void> put(std::string_view text) {
    m_done.bytes += text.size();
    return m_write(text);
  }

  // `ids`: members to stand before those of `data`, which is a JSON object, or empty where it is
  // not readable.
  Result<void> put_object(std::string_view ids, std::string_view data) {
    std::size_t begin = data.find_first_not_of(" \t\r\n");
    std::size_t end = data.find_last_not_of(" \t\r\n");
    bool is_object = begin != std::string_view::npos && data[begin] == '{';
    TRY(put("{"));
    TRY(put(ids));
    if (!is_object) {
      ++m_done.unreadable;
      return put(",\"type\":\"unreadable\"}");
    }
    std::string_view members = data.substr(begin + 1, end - begin - 1);
    if (members.find_first_not_of(" \t\r\n") != std::string_view::npos) {
      TRY(put(","));
      TRY(put(members));
    }
    return put("}");
  }

  OpencodeRendering& done() { return m_done; }

private:
  const std::function<Result<void>(std::string_view)>& m_write;
  OpencodeRendering m_done = {};
};

// {"id":I,"sessionID":S...} without the braces.
std::string_view members_of(std::string_view object) {
  return object.size() < 2 ? object : object.substr(1, object.size() - 2);
}

} // namespace

OpencodeDatabase::OpencodeDatabase(std::string path, DatabaseHandle handle)
    : m_path(std::move(path))
    , m_handle(std::move(handle)) {}

Result<OpencodeDatabase> OpencodeDatabase::open(const std::string& path) {
  TRY_ASSIGN(DatabaseHandle handle, open_copy(path));
  for (const Table& table : k_tables) {
    TRY(check_table(handle.get(), path, table));
  }
  return OpencodeDatabase(path, std::move(handle));
}

Result<std::vector<OpencodeSession>> OpencodeDatabase::sessions(std::size_t limit) {
  TRY_ASSIGN(Query query,
             Query::make(m_handle.get(),
                         m_path,
                         "SELECT id, parent_id, directory, title, version, time_created,"
                         " time_updated FROM session ORDER BY time_updated DESC, id LIMIT ?1"));
  query.bind(1, static_cast<std::int64_t>(limit));
  std::vector<OpencodeSession> sessions;
  while (true) {
    TRY_ASSIGN(bool has_row, query.step());
    if (!has_row) {
      return sessions;
    }
    sessions.push_back({to_valid_utf8(query.text(0)),
                        to_valid_utf8(query.text(1)),
                        to_valid_utf8(query.text(2)),
                        to_valid_utf8(query.text(3)),
                        to_valid_utf8(query.text(4)),
                        query.integer(5),
                        query.integer(6)});
  }
}

Result<OpencodeRendering>
OpencodeDatabase::render(std::string_view session,
                         std::uint64_t max_bytes,
                         const std::function<Result<void>(std::string_view)>& write) {
  sqlite3* database = m_handle.get();
  TRY_ASSIGN(
      Query head,
      Query::make(database,
                  m_path,
                  "SELECT json_object('id', CAST(id AS TEXT), 'parentID', CAST(parent_id AS TEXT),"
                  " 'directory', CAST(directory AS TEXT), 'title', CAST(title AS TEXT),"
                  " 'version', CAST(version AS TEXT), 'time', json_object('created',"
                  " CAST(time_created AS INTEGER), 'updated', CAST(time_updated AS INTEGER)))"
                  " FROM session WHERE id = ?1"));
  // In the order of OpenCode's own export.
  TRY_ASSIGN(Query messages,
             Query::make(database,
                         m_path,
                         "SELECT id, json_object('id', CAST(id AS TEXT), 'sessionID',"
                         " CAST(session_id AS TEXT)), CASE WHEN json_valid(data) THEN data END"
                         " FROM message WHERE session_id = ?1 ORDER BY time_created, id"));
  TRY_ASSIGN(Query parts,
             Query::make(database,
                         m_path,
                         "SELECT json_object('id', CAST(id AS TEXT)),"
                         " CASE WHEN json_valid(data) THEN data END"
                         " FROM part WHERE message_id = ?1 ORDER BY id"));
  head.bind(1, session);
  TRY_ASSIGN(bool is_there, head.step());
  if (!is_there) {
    return fail(ErrorCode::not_found,
                "no session " + in_backticks(session) + " in database " + in_backticks(m_path));
  }
  Rendering rendering(write);
  OpencodeRendering& done = rendering.done();
  TRY(rendering.put("{\"info\":"));
  TRY(rendering.put(head.text(0)));
  TRY(rendering.put(",\"messages\":["));
  messages.bind(1, session);
  while (true) {
    TRY_ASSIGN(bool has_message, messages.step());
    if (!has_message) {
      break;
    }
    if (done.bytes >= max_bytes) {
      ++done.left_out;
      continue;
    }
    std::string id(messages.text(0));
    TRY(rendering.put(done.messages++ == 0 ? "\n{\"info\":" : ",\n{\"info\":"));
    TRY(rendering.put_object(members_of(messages.text(1)), messages.text(2)));
    TRY(rendering.put(",\"parts\":["));
    parts.reset();
    parts.bind(1, id);
    for (bool is_first = true;; is_first = false) {
      TRY_ASSIGN(bool has_part, parts.step());
      if (!has_part) {
        break;
      }
      TRY(rendering.put(is_first ? "" : ","));
      TRY(rendering.put_object(members_of(parts.text(0)), parts.text(1)));
      ++done.parts;
    }
    TRY(rendering.put("]}"));
  }
  TRY(rendering.put("\n]}\n"));
  return done;
}

} // namespace upskill::trace
