#pragma once
#include "skills/store/database.h"
#include "skills/store/trace_rows.h"
#include "skills/store/zstd_frame.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace upskill::store {

struct TextQuery;

// traces.db: what is known of captured sessions, what is found in them, and what a person has said
// about them. Their text lies in TraceObjects. What is committed outlives our being killed; what a
// power failure takes can be imported again. The only SQL on it is in trace_store*.cpp. Used by one
// thread at a time, as its Database.
//
// Order of writing: TraceObjects::append, flush for a batch, then put_session with the new size.
// Order of removing: remove here, then the object. Whatever comes between leaves a file that
// nothing names, or bytes that do not count, and both are tidied up.
class TraceStore {
public:
  // Errors as of Database::open; corrupt too where a row cannot be read. Removed text is
  // overwritten, so that it is gone from the file.
  static Result<TraceStore> open(const std::string& path);

  Result<Transaction> begin() { return m_database.begin(); }

  // From now on titles, branches and snippets are given of sessions that were scanned with these
  // rules only; of the others they are empty, until they are scanned again.
  void show_only(std::string rules_version) { m_shown = std::move(rules_version); }

  // New, or in place of the one of its key (session_key), which keeps its id, its import time and
  // its findings; what is searched for is replaced along with it, or stays where no text is given.
  // Its id. invalid_argument: no harness or session. too_large: a name, a path or the state is over
  // its bound; labels and lists are cut. A mark that it was purged goes: whoever puts it means it.
  Result<std::int64_t> put_session(const SessionRow& row,
                                   const std::optional<IndexText>& text = std::nullopt);
  Result<std::optional<SessionRow>> find(std::int64_t id);
  // The session of this exact key.
  Result<std::optional<SessionRow>> find_key(std::string_view key);
  // The agents of which a session is kept, by their names.
  Result<std::vector<std::string>> harnesses();
  // As people name one: key, session id, our own id, or the beginning of a session id, a key or a
  // helper's id (`/` before it is not needed). not_found; invalid_argument where several are meant,
  // with their keys.
  Result<SessionRow> find_named(std::string_view name);
  // Oldest id first, at most k_max_page, without states: a database has many sessions, and forks
  // share their first record.
  Result<std::vector<SessionRow>> find_by_source(std::string_view path);
  Result<std::vector<SessionRow>> find_by_first_id(std::string_view harness,
                                                   std::string_view first_id);
  // Those that were read or scanned by other versions than these, by id, after `after`; without
  // states. What to read again, or to repair.
  Result<std::vector<SessionRow>> list_outdated(std::int64_t reader_version,
                                                std::string_view rules_version,
                                                std::int64_t after,
                                                std::size_t limit);

  // Newest first, at most `limit` (k_max_page), after that position or from the newest; without
  // states.
  Result<std::vector<SessionRow>>
  list(const SessionFilter& filter, const std::optional<SessionPosition>& after, std::size_t limit);
  // How many list() would give in all.
  Result<std::int64_t> count(const SessionFilter& filter);
  // The best first, at most `limit` (k_max_search_hits); of words that are in more than 2,000
  // sessions, the 2,000 that came last are compared. Without words to find: the newest.
  Result<std::vector<SearchHit>> search(const SessionFilter& filter, std::size_t limit);
  // What was put, as far as it was within its bound. not_found: nothing is indexed.
  Result<IndexText> index_text(std::int64_t id);

  // Leaves a mark of it (was_purged). Nothing where there is none.
  Result<std::optional<RemovedSession>> remove(std::int64_t id, std::int64_t time_ms);
  // At most k_max_removed at once, oldest first: call it until nothing is left. The objects are the
  // caller's.
  Result<std::vector<RemovedSession>> remove_where(const PurgeFilter& filter, std::int64_t time_ms);
  // What is too old or too much, oldest first, at most k_max_page; the newest is never too much.
  // Nothing is removed.
  Result<std::vector<RemovedSession>> find_excess(const TraceLimits& limits);
  Result<std::optional<PurgedMark>> was_purged(std::string_view key);
  // The same by the agent's file; the last, where there are several.
  Result<std::optional<PurgedMark>> was_source_purged(std::string_view source);
  Result<TraceTotals> totals();
  // Every object that a session names, for TraceObjects::remove_unreferenced.
  Result<std::unordered_set<std::string>> object_names();
  // Gives space back to the disk and takes the last trace of removed words out of the index: after
  // a person's purge. Takes seconds, and no transaction may be open.
  Result<void> compact();

  // What a scan found, in place of what there was. A rule that was allowed stays so as long as it
  // finds no more than then.
  Result<void> set_findings(std::int64_t id, std::span<const FindingRow> findings);
  Result<std::vector<FindingRow>> findings(std::int64_t id);
  // A person says that it is no secret: one rule's, or all that are there now. not_found: there is
  // none.
  Result<void> allow(std::int64_t id, std::optional<std::string_view> rule);
  // The rules that keep it from being sent.
  Result<std::vector<std::string>> blocked(std::int64_t id);

  Result<std::optional<std::string>> setting(std::string_view key);
  // Nothing: it is removed.
  Result<void> set_setting(std::string_view key, std::optional<std::string_view> value);
  // Sorted by agent and folder.
  Result<std::vector<CaptureRule>> capture_rules();
  // New, or in place of the one for the same agent and folder.
  Result<void> put_capture_rule(const CaptureRule& rule);
  Result<void> remove_capture_rule(std::string_view agent, std::string_view folder);

private:
  explicit TraceStore(Database database)
      : m_database(std::move(database)) {}

  enum class Parts { without_state, all };
  Result<std::vector<SessionRow>> read_sessions(Statement rows, Parts parts);
  Result<std::optional<SessionRow>> read_one(Statement rows);
  Result<void> read_lists(SessionRow& row);
  Result<void> write_row(const SessionRow& row, const std::string& key);
  Result<void> write_lists(std::int64_t id, const SessionRow& row);
  Result<void> write_text(std::int64_t id, const IndexText& text);
  Result<void> unindex(std::int64_t id);
  Result<std::vector<SessionRow>> find_like(std::string_view name);

  bool is_shown(const SessionRow& row) const { return !m_shown || row.rules_version == *m_shown; }

  Result<std::vector<std::pair<std::int64_t, double>>>
  rank(const TextQuery& query, const SessionFilter& filter, std::size_t limit);
  Result<RemovedSession> remove_row(RemovedSession removed, std::int64_t time_ms);

  Database m_database;
  FrameWriter m_frames;
  std::optional<std::string> m_shown = {}; // version of the rules; none: all are
};

} // namespace upskill::store
