#include "skills/store/trace_store.h"

#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "skills/store/trace_columns.h"
#include "skills/store/trace_name.h"
#include "skills/store/trace_schema.h"

#include <algorithm>
#include <charconv>

namespace upskill::store {
namespace {

// The first text behind all that begin so, bytewise.
std::string behind(std::string_view beginning) {
  std::string next(beginning);
  while (!next.empty() && next.back() == '\xFF') {
    next.pop_back();
  }
  if (next.empty()) {
    return std::string(k_max_trace_name + 1, '\xFF');
  }
  ++next.back();
  return next;
}

std::optional<std::int64_t> number_of(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  auto [stopped, failure] = std::from_chars(text.data(), end, number);
  return failure == std::errc() && stopped == end && number > 0 ? std::optional(number)
                                                                : std::nullopt;
}

std::string key_of(const SessionRow& row) {
  return session_key(row.harness, row.session, row.agent);
}

} // namespace

Result<TraceStore> TraceStore::open(const std::string& path) {
  TRY_ASSIGN(Database database, Database::open(path, trace_migrations(), Durability::crash));
  TRY(database.execute("PRAGMA secure_delete=ON"));
  TraceStore store(std::move(database));
  // Damage shows while the database can still be put aside.
  TRY(store.capture_rules());
  TRY(store.list({}, std::nullopt, 1));
  return store;
}

Result<void> TraceStore::read_lists(SessionRow& row) {
  TRY_ASSIGN(
      Statement skills,
      m_database.query("SELECT skill, uses FROM session_skills WHERE session = ? ORDER BY skill",
                       row.id));
  for (;;) {
    TRY_ASSIGN(bool more, skills.step());
    if (!more) {
      break;
    }
    row.skills.push_back({std::string(skills.text(0)), skills.integer(1)});
  }
  TRY_ASSIGN(Statement tools,
             m_database.query("SELECT tool, calls, errors FROM session_tools WHERE session = ?"
                              " ORDER BY tool",
                              row.id));
  for (;;) {
    TRY_ASSIGN(bool more, tools.step());
    if (!more) {
      return {};
    }
    row.tools.push_back({std::string(tools.text(0)), tools.integer(1), tools.integer(2)});
  }
}

Result<std::vector<SessionRow>> TraceStore::read_sessions(Statement rows, Parts parts) {
  std::vector<SessionRow> sessions;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      break;
    }
    TRY_ASSIGN(sessions.emplace_back(), session_of(rows));
  }
  for (SessionRow& row : sessions) {
    if (!is_shown(row)) {
      row.title.clear();
      row.branch.clear();
    }
    TRY(read_lists(row));
    if (parts == Parts::all) {
      TRY_ASSIGN(Statement state,
                 m_database.query("SELECT state FROM session_states WHERE session = ?", row.id));
      TRY(state.step());
      // Where it cannot be read the session's file is read anew, as where there is none.
      row.state = read_frame(state.blob(0), k_max_trace_state).value_or(std::string());
    }
  }
  return sessions;
}

Result<std::optional<SessionRow>> TraceStore::read_one(Statement rows) {
  TRY_ASSIGN(std::vector<SessionRow> sessions, read_sessions(std::move(rows), Parts::all));
  return sessions.empty() ? std::nullopt : std::optional(std::move(sessions.front()));
}

Result<std::optional<SessionRow>> TraceStore::find(std::int64_t id) {
  TRY_ASSIGN(Statement rows, m_database.query(UPSKILL_SESSION_COLUMNS "WHERE id = ?", id));
  return read_one(std::move(rows));
}

Result<std::optional<SessionRow>> TraceStore::find_key(std::string_view key) {
  TRY_ASSIGN(Statement rows, m_database.query(UPSKILL_SESSION_COLUMNS "WHERE key = ?", key));
  return read_one(std::move(rows));
}

// The narrowest sense in which there is one: several of them are as many as a message names.
Result<std::vector<SessionRow>> TraceStore::find_like(std::string_view name) {
  std::vector<SessionRow> found;
  auto look = [&](Result<Statement> rows) -> Result<bool> {
    TRY(rows);
    TRY_ASSIGN(found, read_sessions(std::move(*rows), Parts::all));
    return !found.empty();
  };
  std::string end = behind(name);
  std::string_view before_end = end;
  TRY_ASSIGN(bool is_found,
             look(m_database.query(UPSKILL_SESSION_COLUMNS
                                   "WHERE session = ? AND agent = '' ORDER BY id LIMIT 4",
                                   name)));
  if (std::optional<std::int64_t> id = number_of(name); !is_found && id) {
    TRY_ASSIGN(is_found, look(m_database.query(UPSKILL_SESSION_COLUMNS "WHERE id = ?", *id)));
  }
  // What was set aside (`ID~TIME`) is not meant by how its id begins while there is another one.
  if (!is_found) {
    TRY_ASSIGN(is_found,
               look(m_database.query(UPSKILL_SESSION_COLUMNS
                                     "WHERE session >= ? AND session < ? AND agent = ''"
                                     " AND instr(session, '~') = 0 ORDER BY id LIMIT 4",
                                     name,
                                     before_end)));
  }
  if (!is_found) {
    TRY_ASSIGN(is_found,
               look(m_database.query(UPSKILL_SESSION_COLUMNS
                                     "WHERE session >= ? AND session < ? AND agent = ''"
                                     " ORDER BY id LIMIT 4",
                                     name,
                                     before_end)));
  }
  if (std::size_t tilde = name.find('~'); !is_found && tilde != std::string_view::npos) {
    // As lists show it: how the id begins, and when it was set aside.
    std::string begin_end = behind(name.substr(0, tilde));
    TRY_ASSIGN(is_found,
               look(m_database.query(UPSKILL_SESSION_COLUMNS
                                     "WHERE session >= ?1 AND session < ?2 AND agent = '' AND"
                                     " substr(session, instr(session, '~'), length(?3)) = ?3"
                                     " ORDER BY id LIMIT 4",
                                     name.substr(0, tilde),
                                     std::string_view(begin_end),
                                     name.substr(tilde))));
  }
  std::string_view helper = name.starts_with('/') ? name.substr(1) : name;
  if (!is_found && !helper.empty()) {
    TRY_ASSIGN(is_found,
               look(m_database.query(UPSKILL_SESSION_COLUMNS
                                     "WHERE agent <> '' AND agent >= ? AND agent < ?"
                                     " ORDER BY id LIMIT 4",
                                     helper,
                                     std::string_view(behind(helper)))));
  }
  if (std::size_t slash = name.find('/'); !is_found && slash != std::string_view::npos) {
    // How its session's id begins, and how its own does.
    helper = name.substr(slash + 1);
    TRY_ASSIGN(is_found,
               look(m_database.query(UPSKILL_SESSION_COLUMNS
                                     "WHERE session >= ? AND session < ? AND agent <> ''"
                                     " AND agent >= ? AND agent < ? ORDER BY id LIMIT 4",
                                     name.substr(0, slash),
                                     std::string_view(behind(name.substr(0, slash))),
                                     helper,
                                     std::string_view(behind(helper)))));
  }
  if (!is_found) {
    TRY(look(m_database.query(UPSKILL_SESSION_COLUMNS
                              "WHERE key >= ? AND key < ? ORDER BY id LIMIT 4",
                              name,
                              before_end)));
  }
  return found;
}

Result<SessionRow> TraceStore::find_named(std::string_view name) {
  auto missing = [name] {
    return fail(ErrorCode::not_found,
                "there is no session " + in_backticks(utf8_prefix(name, k_max_trace_label)),
                "`upskill trace list` shows all there are");
  };
  if (name.empty() || name.size() > 3 * k_max_trace_path) {
    return missing();
  }
  TRY_ASSIGN(std::optional<SessionRow> exact, find_key(name));
  if (exact) {
    return std::move(*exact);
  }
  TRY_ASSIGN(std::vector<SessionRow> found, find_like(name));
  if (found.empty()) {
    return missing();
  }
  if (found.size() == 1) {
    return std::move(found.front());
  }
  std::string keys;
  for (std::size_t i = 0; i < std::min<std::size_t>(found.size(), 3); ++i) {
    keys += (i == 0 ? "`" : ", `") + key_of(found[i]) + "`";
  }
  return fail(ErrorCode::invalid_argument,
              in_backticks(utf8_prefix(name, k_max_trace_label)) + " may be " + keys
                  + (found.size() > 3 ? " and more" : ""),
              "write more of the one that is meant");
}

Result<std::vector<SessionRow>> TraceStore::find_by_source(std::string_view path) {
  TRY_ASSIGN(Statement rows,
             m_database.query(UPSKILL_SESSION_COLUMNS "WHERE source = ? ORDER BY id LIMIT ?",
                              path,
                              static_cast<std::int64_t>(k_max_page)));
  return read_sessions(std::move(rows), Parts::without_state);
}

Result<std::vector<SessionRow>> TraceStore::find_by_first_id(std::string_view harness,
                                                             std::string_view first_id) {
  TRY_ASSIGN(Statement rows,
             m_database.query(UPSKILL_SESSION_COLUMNS "WHERE harness = ? AND first_id = ?"
                                                      " AND first_id <> '' ORDER BY id LIMIT ?",
                              harness,
                              first_id,
                              static_cast<std::int64_t>(k_max_page)));
  return read_sessions(std::move(rows), Parts::without_state);
}

Result<std::vector<SessionRow>> TraceStore::list_outdated(std::int64_t reader_version,
                                                          std::string_view rules_version,
                                                          std::int64_t after,
                                                          std::size_t limit) {
  TRY_ASSIGN(Statement rows,
             m_database.query(UPSKILL_SESSION_COLUMNS
                              "WHERE id > ? AND (reader_version <> ? OR rules_version <> ?)"
                              " ORDER BY id LIMIT ?",
                              after,
                              reader_version,
                              rules_version,
                              static_cast<std::int64_t>(std::min(limit, k_max_page))));
  return read_sessions(std::move(rows), Parts::without_state);
}

} // namespace upskill::store
