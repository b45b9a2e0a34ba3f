#include "protocol/base/bounds.h"
#include "skills/store/trace_columns.h"
#include "skills/store/trace_query.h"
#include "skills/store/trace_snippet.h"
#include "skills/store/trace_store.h"

#include <algorithm>

namespace upskill::store {
namespace {

// Comparing a session costs a microsecond for each word (bm25), finding it a hundredth of that. A
// word of that many sessions tells little about any.
constexpr std::int64_t k_compared = 2000;

} // namespace

Result<std::vector<SessionRow>> TraceStore::list(const SessionFilter& filter,
                                                 const std::optional<SessionPosition>& after,
                                                 std::size_t limit) {
  TextQuery query = parse_query(filter.text);
  if (query.finds_nothing()) {
    return std::vector<SessionRow>();
  }
  TRY_ASSIGN(Statement rows,
             m_database.prepare(UPSKILL_SESSION_COLUMNS
                                "WHERE " UPSKILL_SESSION_FILTER " AND (?9 IS NULL OR id IN"
                                "  (SELECT rowid FROM session_words WHERE session_words MATCH ?9))"
                                " AND (?10 IS NULL OR id NOT IN"
                                "  (SELECT rowid FROM session_words WHERE session_words MATCH ?10))"
                                " AND (active_ms, id) < (coalesce(?11, 9223372036854775807),"
                                "  coalesce(?12, 9223372036854775807))"
                                " ORDER BY active_ms DESC, id DESC LIMIT ?13"));
  bind_filter(rows, filter);
  rows.bind(9, given(query.match));
  rows.bind(10, given(query.exclude));
  rows.bind(11, after ? std::optional(after->active_ms) : std::nullopt);
  rows.bind(12, after ? std::optional(after->id) : std::nullopt);
  rows.bind(13, static_cast<std::int64_t>(std::min(limit, k_max_page)));
  return read_sessions(std::move(rows), Parts::without_state);
}

Result<std::int64_t> TraceStore::count(const SessionFilter& filter) {
  TextQuery query = parse_query(filter.text);
  if (query.finds_nothing()) {
    return 0;
  }
  TRY_ASSIGN(
      Statement rows,
      m_database.prepare("SELECT count(*) FROM sessions "
                         "WHERE " UPSKILL_SESSION_FILTER " AND (?9 IS NULL OR id IN"
                         "  (SELECT rowid FROM session_words WHERE session_words MATCH ?9))"
                         " AND (?10 IS NULL OR id NOT IN"
                         "  (SELECT rowid FROM session_words WHERE session_words MATCH ?10))"));
  bind_filter(rows, filter);
  rows.bind(9, given(query.match));
  rows.bind(10, given(query.exclude));
  TRY(rows.step());
  return rows.integer(0);
}

Result<std::vector<std::string>> TraceStore::harnesses() {
  TRY_ASSIGN(
      Statement rows,
      m_database.prepare("SELECT DISTINCT harness FROM sessions ORDER BY harness LIMIT 100"));
  std::vector<std::string> names;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return names;
    }
    names.emplace_back(rows.text(0));
  }
}

Result<std::vector<std::pair<std::int64_t, double>>>
TraceStore::rank(const TextQuery& query, const SessionFilter& filter, std::size_t limit) {
  // The filter is worked out once, as a set: SQLite would ask the index for each session otherwise.
  TRY_ASSIGN(Statement rows,
             m_database.prepare(
                 "SELECT rowid, bm25(session_words, 8.0, 4.0, 1.0, 2.0) AS score FROM session_words"
                 " WHERE session_words MATCH ?9 AND (?11 = 0 OR +rowid IN"
                 "  (SELECT id FROM sessions WHERE " UPSKILL_SESSION_FILTER "))"
                 " AND rowid >= (SELECT coalesce(min(rowid), 0) FROM"
                 "  (SELECT rowid FROM session_words WHERE session_words MATCH ?9"
                 "   AND (?11 = 0 OR +rowid IN"
                 "    (SELECT id FROM sessions WHERE " UPSKILL_SESSION_FILTER "))"
                 "   ORDER BY rowid DESC LIMIT ?12))"
                 " ORDER BY score, rowid DESC LIMIT ?10"));
  bind_filter(rows, filter);
  rows.bind(9, std::string_view(query.match));
  rows.bind(10, static_cast<std::int64_t>(limit));
  rows.bind(11, std::int64_t{is_narrowing(filter)});
  rows.bind(12, k_compared);
  std::vector<std::pair<std::int64_t, double>> ranked;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return ranked;
    }
    ranked.emplace_back(rows.integer(0), rows.real(1));
  }
}

Result<std::vector<SearchHit>> TraceStore::search(const SessionFilter& filter, std::size_t limit) {
  limit = std::min(limit, k_max_search_hits);
  TextQuery query = parse_query(filter.text);
  std::vector<SearchHit> hits;
  if (query.match.empty()) {
    TRY_ASSIGN(std::vector<SessionRow> newest, list(filter, std::nullopt, limit));
    for (SessionRow& row : newest) {
      hits.push_back({.session = std::move(row)});
    }
  } else {
    TRY_ASSIGN(auto ranked, rank(query, filter, limit));
    for (const auto& [id, score] : ranked) {
      TRY_ASSIGN(Statement row, m_database.query(UPSKILL_SESSION_COLUMNS "WHERE id = ?", id));
      TRY_ASSIGN(std::vector<SessionRow> one, read_sessions(std::move(row), Parts::without_state));
      if (!one.empty()) {
        hits.push_back({.session = std::move(one.front()), .score = score});
      }
    }
  }
  for (SearchHit& hit : hits) {
    if (!is_shown(hit.session)) {
      continue;
    }
    Result<IndexText> text = index_text(hit.session.id);
    if (text) {
      hit.snippet = make_snippet(*text, query.terms);
    } else if (text.error().code != ErrorCode::not_found) {
      return fail(text.error());
    }
  }
  return hits;
}

} // namespace upskill::store
