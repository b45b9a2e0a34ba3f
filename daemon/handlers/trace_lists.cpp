#include "daemon/await.h"
#include "daemon/handlers/trace_answers.h"
#include "daemon/handlers/trace_evidence.h"
#include "daemon/handlers/traces.h"
#include "protocol/base/bounds.h"
#include "protocol/base/utf8.h"
#include "skills/store/trace_query.h"

#include <algorithm>
#include <charconv>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_title_for_models = 120; // bytes

std::string cursor_of(const store::SessionRow& row) {
  return std::to_string(row.active_ms()) + "." + std::to_string(row.id);
}

Result<std::optional<store::SessionPosition>> position_of(const std::string& cursor) {
  if (cursor.empty()) {
    return std::nullopt;
  }
  store::SessionPosition position;
  const char* end = cursor.data() + cursor.size();
  auto [dot, problem] = std::from_chars(cursor.data(), end, position.active_ms);
  if (problem == std::errc{} && dot != end && *dot == '.') {
    auto [last, wrong] = std::from_chars(dot + 1, end, position.id);
    if (wrong == std::errc{} && last == end) {
      return position;
    }
  }
  return fail(ErrorCode::invalid_argument,
              "params.cursor: this is no cursor of trace_list",
              "take `next_cursor` of the page before, or leave it out");
}

// What goes into a model's context is short, and holds nothing that may be a secret; a person gets
// all of it.
Result<void>
fit_for_model(TraceSummary& summary, archive::Archive& archive, const store::SessionRow& row) {
  TRY_ASSIGN(std::vector<std::string> allowed, allowed_rules(archive, {row.session, {}, row}));
  if (!flagged_in(summary.title, archive.rules(), allowed).empty()) {
    summary.title.clear();
  }
  if (!summary.flagged.empty()) {
    summary.snippet.clear(); // it may begin or end within a secret, where no rule knows it
  }
  summary.title = utf8_prefix(summary.title, k_title_for_models);
  summary.source.clear();
  summary.format.clear();
  summary.branch.clear();
  summary.cost.reset();
  summary.tokens = {};
  return {};
}

// Why nothing is there, where it is the agent's name.
Result<std::vector<std::string>> warn_of_agent(archive::Archive& archive,
                                               const std::string& agent) {
  TRY_ASSIGN(std::vector<std::string> known, archive.store().harnesses());
  if (agent.empty() || known.empty() || std::ranges::find(known, agent) != known.end()) {
    return std::vector<std::string>();
  }
  std::string names;
  for (const std::string& one : known) {
    names += (names.empty() ? "`" : ", `") + to_valid_utf8(one) + "`";
  }
  return std::vector{"no session of " + in_backticks(agent) + " is kept; there are of " + names};
}

std::string shown(const store::Snippet& snippet) {
  return (snippet.begins_within ? "…" : "") + snippet.text + (snippet.ends_within ? "…" : "");
}

} // namespace

Awaitable<TraceListResult>
list_traces(TraceRoom room, TraceListParams params, RequestContext context) {
  CO_TRY_ASSIGN(store::SessionFilter filter,
                filter_of(params, context.caller.cwd, room.desk.now_ms()));
  CO_TRY_ASSIGN(std::optional<store::SessionPosition> after, position_of(params.cursor));
  bool is_agent = !context.principal.empty();
  CO_TRY_ASSIGN(std::size_t limit, limit_of(params.limit, k_max_page, is_agent ? 50 : k_max_page));
  auto list = [&](archive::Archive& archive) -> Result<TraceListResult> {
    TraceListResult result;
    TRY_ASSIGN(std::vector<store::SessionRow> rows, archive.store().list(filter, after, limit + 1));
    TRY_ASSIGN(result.total, archive.store().count(filter));
    bool is_more = rows.size() > limit;
    rows.resize(std::min(rows.size(), limit));
    for (const store::SessionRow& row : rows) {
      TRY_ASSIGN(TraceSummary summary, summary_of(archive, row));
      if (is_agent) {
        TRY(fit_for_model(summary, archive, row));
      }
      result.traces.push_back(std::move(summary));
    }
    if (is_more) {
      result.next_cursor = cursor_of(rows.back());
    }
    if (result.total == 0) {
      TRY_ASSIGN(result.warnings, warn_of_agent(archive, params.agent));
    }
    return result;
  };
  AWAIT(Result<TraceListResult> result, room.desk.with(std::move(list)));
  co_return result;
}

Awaitable<TraceSearchResult>
search_traces(TraceRoom room, TraceSearchParams params, RequestContext context) {
  CO_TRY_ASSIGN(store::SessionFilter filter,
                filter_of(params, context.caller.cwd, room.desk.now_ms()));
  store::TextQuery query = store::parse_query(params.query);
  if (query.match.empty() && !query.finds_nothing()) {
    co_return fail(ErrorCode::invalid_argument,
                   "params.query: there is no word to look for",
                   "`upskill trace list` lists sessions by agent, folder and time");
  }
  filter.text = params.query;
  bool is_agent = !context.principal.empty();
  constexpr auto k_most = static_cast<std::int64_t>(store::k_max_search_hits);
  CO_TRY_ASSIGN(std::size_t limit, limit_of(params.limit, k_most, is_agent ? 20 : k_most));
  auto search = [&](archive::Archive& archive) -> Result<TraceSearchResult> {
    TraceSearchResult result;
    TRY_ASSIGN(std::vector<store::SearchHit> hits, archive.store().search(filter, limit));
    for (const store::SearchHit& hit : hits) {
      TRY_ASSIGN(TraceSummary summary, summary_of(archive, hit.session));
      summary.snippet = shown(hit.snippet);
      if (is_agent) {
        TRY(fit_for_model(summary, archive, hit.session));
      }
      result.traces.push_back(std::move(summary));
    }
    if (result.traces.empty()) {
      TRY_ASSIGN(result.warnings, warn_of_agent(archive, params.agent));
    }
    return result;
  };
  AWAIT(Result<TraceSearchResult> result, room.desk.with(std::move(search)));
  co_return result;
}

} // namespace upskill::daemon
