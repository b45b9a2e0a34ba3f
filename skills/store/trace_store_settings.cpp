#include "skills/store/trace_columns.h"
#include "skills/store/trace_store.h"

#include <algorithm>
#include <map>

namespace upskill::store {
namespace {

template <DescribedEnum E> Result<E> enum_of(const Statement& row, int column) {
  const auto& names = EnumNames<E>::names;
  auto at = std::ranges::find(names, row.text(column));
  if (at == names.end()) {
    return fail(ErrorCode::corrupt,
                "traces.db holds the unknown word `" + std::string(row.text(column)) + "`");
  }
  return static_cast<E>(at - names.begin());
}

template <DescribedEnum E> std::string_view word_of(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

Result<void> check_length(std::string_view what, std::size_t size, std::size_t most) {
  return size <= most ? Result<void>{}
                      : fail(ErrorCode::too_large,
                             "the " + std::string(what) + " has " + std::to_string(size)
                                 + " bytes, the most is " + std::to_string(most));
}

} // namespace

Result<void> TraceStore::set_findings(std::int64_t id, std::span<const FindingRow> found) {
  TRY_ASSIGN(Transaction transaction, begin());
  TRY_ASSIGN(std::vector<FindingRow> before, findings(id));
  std::map<std::string_view, std::int64_t> allowed;
  for (const FindingRow& finding : before) {
    if (finding.state == FindingState::allowed) {
      allowed[finding.rule] = finding.count;
    }
  }
  TRY(m_database.run("DELETE FROM findings WHERE session = ?", id));
  for (const FindingRow& finding : found) {
    TRY(check_length("rule's name", finding.rule.size(), k_max_trace_name));
    auto known = allowed.find(finding.rule);
    bool is_known = known != allowed.end() && finding.count <= known->second;
    FindingState state = is_known ? FindingState::allowed : finding.state;
    // What was allowed is what a person saw: if it became less, more of it is new.
    TRY(m_database.run("INSERT OR REPLACE INTO findings (session, rule, count, state)"
                       " VALUES (?, ?, ?, ?)",
                       id,
                       finding.rule,
                       finding.count,
                       word_of(state)));
  }
  return transaction.commit();
}

Result<std::vector<FindingRow>> TraceStore::findings(std::int64_t id) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT rule, count, state FROM findings WHERE session = ?"
                              " ORDER BY rule",
                              id));
  std::vector<FindingRow> found;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return found;
    }
    TRY_ASSIGN(FindingState state, enum_of<FindingState>(rows, 2));
    found.push_back({std::string(rows.text(0)), rows.integer(1), state});
  }
}

Result<void> TraceStore::allow(std::int64_t id, std::optional<std::string_view> rule) {
  TRY(m_database.run("UPDATE findings SET state = 'allowed'"
                     " WHERE session = ?1 AND (?2 IS NULL OR rule = ?2)",
                     id,
                     rule));
  return m_database.changes() > 0
             ? Result<void>{}
             : fail(ErrorCode::not_found, "nothing of that kind was found in this session");
}

Result<std::vector<std::string>> TraceStore::blocked(std::int64_t id) {
  TRY_ASSIGN(Statement rows,
             m_database.query("SELECT rule FROM findings WHERE session = ? AND state = 'flagged'"
                              " ORDER BY rule",
                              id));
  std::vector<std::string> rules;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return rules;
    }
    rules.emplace_back(rows.text(0));
  }
}

Result<std::optional<std::string>> TraceStore::setting(std::string_view key) {
  TRY_ASSIGN(Statement row, m_database.query("SELECT value FROM settings WHERE key = ?", key));
  TRY_ASSIGN(bool found, row.step());
  return found ? std::optional<std::string>(row.text(0)) : std::nullopt;
}

Result<void> TraceStore::set_setting(std::string_view key, std::optional<std::string_view> value) {
  if (!value) {
    return m_database.run("DELETE FROM settings WHERE key = ?", key);
  }
  TRY(check_length("setting's name", key.size(), k_max_trace_name));
  TRY(check_length("setting", value->size(), k_max_trace_setting));
  return m_database.run("INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)", key, *value);
}

Result<std::vector<CaptureRule>> TraceStore::capture_rules() {
  TRY_ASSIGN(Statement rows,
             m_database.prepare("SELECT agent, folder, capture FROM capture_rules"
                                " ORDER BY agent, folder"));
  std::vector<CaptureRule> rules;
  for (;;) {
    TRY_ASSIGN(bool more, rows.step());
    if (!more) {
      return rules;
    }
    TRY_ASSIGN(Capture capture, enum_of<Capture>(rows, 2));
    rules.push_back({std::string(rows.text(0)), std::string(rows.text(1)), capture});
  }
}

Result<void> TraceStore::put_capture_rule(const CaptureRule& rule) {
  TRY(check_length("agent", rule.agent.size(), k_max_trace_name));
  TRY(check_length("folder", rule.folder.size(), k_max_trace_path));
  return m_database.run("INSERT OR REPLACE INTO capture_rules (agent, folder, capture)"
                        " VALUES (?, ?, ?)",
                        rule.agent,
                        rule.folder,
                        word_of(rule.capture));
}

Result<void> TraceStore::remove_capture_rule(std::string_view agent, std::string_view folder) {
  return m_database.run("DELETE FROM capture_rules WHERE agent = ? AND folder = ?", agent, folder);
}

} // namespace upskill::store
