#pragma once
#include "skills/store/database.h"
#include "skills/store/trace_rows.h"

// How sessions are selected and read: for trace_store*.cpp only. Macros, because SQL is literal,
// and only literals can be joined without code that joins any text.
namespace upskill::store {

// For session_of.
#define UPSKILL_SESSION_COLUMNS                                                                    \
  "SELECT id, harness, session, agent, forked_from, format, source, device,"                       \
  " inode, source_size, resume_offset, object, object_size, text_size, reader_version,"            \
  " rules_version, project, branch, title, version, models, started_ms, ended_ms, updated_ms,"     \
  " imported_ms, records, prompts, answers, tool_calls, errors, interrupts, corrections, unknown," \
  " unreadable, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost, "        \
  "outcome,"                                                                                       \
  " redacted, candidates, first_id, is_raw FROM sessions "

// What bind_filter binds, from ?1 to ?8.
#define UPSKILL_SESSION_FILTER                                                                     \
  "(?1 IS NULL OR harness = ?1) AND (?2 IS NULL OR session = ?2)"                                  \
  " AND (?3 IS NULL OR project = ?3"                                                               \
  "  OR substr(project, 1, length(?3) + 1) = ?3 || '/')"                                           \
  " AND (?4 IS NULL OR active_ms >= ?4) AND (?5 IS NULL OR coalesce(started_ms, active_ms) < ?5)"  \
  " AND (?6 IS NULL OR id IN (SELECT session FROM session_tools WHERE tool = ?6))"                 \
  " AND (?7 IS NULL OR id IN (SELECT session FROM session_skills WHERE skill = ?7))"               \
  " AND (?8 IS NULL OR outcome = ?8)"

// Nothing where it is empty: NULL is no condition.
inline std::optional<std::string_view> given(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// A folder as it is compared: `/a/` is `/a`, and of `/` all is below.
inline std::optional<std::string_view> given_folder(std::string_view folder) {
  while (folder.ends_with('/')) {
    folder.remove_suffix(1);
  }
  return given(folder);
}

inline void bind_filter(Statement& statement, const SessionFilter& filter) {
  statement.bind_all(given(filter.harness),
                     given(filter.session),
                     given_folder(filter.project),
                     filter.since_ms,
                     filter.until_ms,
                     given(filter.tool),
                     given(filter.skill),
                     given(filter.outcome));
}

// Whether it leaves out any session but for its text.
inline bool is_narrowing(const SessionFilter& filter) {
  return !filter.harness.empty() || !filter.session.empty() || given_folder(filter.project)
         || filter.since_ms || filter.until_ms || !filter.tool.empty() || !filter.skill.empty()
         || !filter.outcome.empty();
}

// Without its state, skills and tools. corrupt: its models cannot be read.
Result<SessionRow> session_of(const Statement& row);

} // namespace upskill::store
