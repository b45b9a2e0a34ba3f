#include "daemon/await.h"
#include "daemon/handlers/trace_answers.h"
#include "daemon/handlers/trace_source.h"
#include "protocol/base/utc.h"
#include "protocol/base/utf8.h"
#include "skills/archive/intake.h"
#include "skills/trace/excerpt.h"
#include "skills/trace/summary.h"

#include <algorithm>
#include <map>

namespace upskill::daemon {
namespace {

constexpr std::int64_t k_most_shown = 1000;     // events of one answer
constexpr std::size_t k_shown_text = 2000;      // bytes of one event
constexpr std::size_t k_named_calls = 4096;     // whose results still get their tool's name
constexpr std::size_t k_shown_bytes = 4u << 20; // of all events of one answer
constexpr std::size_t k_tools_shown = 20;

// What a person wants to see unless told otherwise.
bool is_of_interest(const trace::Event& event) {
  using trace::EventForm;
  using trace::EventKind;
  switch (event.kind) {
  case EventKind::user:
    return event.form == EventForm::prompt || event.form == EventForm::command
           || event.form == EventForm::interrupt;
  case EventKind::assistant:
    return event.form != EventForm::thinking;
  case EventKind::meta:
    return event.form == EventForm::text || event.form == EventForm::error
           || event.form == EventForm::compaction || event.form == EventForm::unreadable;
  default:
    return true;
  }
}

// Collects a page of events, and what the session is.
class EventPage : public trace::EventSink {
public:
  EventPage(const TraceShowParams& params,
            std::size_t limit,
            trace::Format format,
            std::stop_source& full)
      : m_params(params)
      , m_summary(format)
      , m_full(full)
      , m_limit(limit) {}

  void take(const trace::Event& event) override {
    m_summary.take(event);
    auto offset = static_cast<std::int64_t>(event.envelope->offset);
    if (!event.call.empty() && event.kind == trace::EventKind::tool_call
        && m_names.size() < k_named_calls) {
      m_names.insert_or_assign(std::string(event.call), std::string(event.name));
    }
    bool is_new = m_summary.novelty() == trace::Novelty::fresh;
    if (m_next || offset < m_params.offset
        || (!m_params.all && !(is_new && is_of_interest(event)))) {
      return;
    }
    // A page ends where a record does, so that it can be gone on with.
    if ((m_events.size() >= m_limit || m_bytes >= k_shown_bytes) && offset != m_last) {
      m_next = offset;
      if (m_params.offset > 0) {
        m_full.request_stop(); // the first page also says what the session is
      }
      return;
    }
    add(event, offset);
  }

  std::vector<TraceEvent> take_events() { return std::move(m_events); }

  std::optional<std::int64_t> next() const { return m_next; }

  trace::SessionSummary summary() const { return m_summary.summary(); }

private:
  void add(const trace::Event& event, std::int64_t offset) {
    TraceEvent shown;
    shown.offset = m_last = offset;
    shown.kind = enum_name(event.kind);
    shown.form = enum_name(event.form);
    shown.time = event.envelope->time_ms ? rfc3339(*event.envelope->time_ms) : std::string();
    shown.tool = event.name;
    if (auto name = m_names.find(std::string(event.call));
        event.kind == trace::EventKind::tool_result && name != m_names.end()) {
      shown.tool = name->second;
    }
    shown.text = trace::excerpt(event.text, {k_shown_text, 0}, nullptr);
    shown.cut = event.text.raw_size() > 6 * k_shown_text || shown.text.size() > k_shown_text;
    shown.failed = event.is_error;
    shown.exit_code = event.exit_code;
    m_bytes += shown.text.size();
    m_events.push_back(std::move(shown));
  }

  const TraceShowParams& m_params;
  trace::Summary m_summary;
  std::stop_source& m_full;
  std::size_t m_limit;
  std::map<std::string, std::string, std::less<>> m_names = {}; // by call
  std::vector<TraceEvent> m_events = {};
  std::optional<std::int64_t> m_next = {};
  std::int64_t m_last = -1;
  std::size_t m_bytes = 0;
};

Result<TraceShowResult>
show(archive::Archive& archive, const TraceShowParams& params, const RequestContext& context) {
  TRY_ASSIGN(std::size_t limit, limit_of(params.limit, k_most_shown, k_most_shown));
  TRY_ASSIGN(TraceSource source, find_source(archive, params.id, context.caller.cwd));
  TRY_ASSIGN(trace::Format format, format_of(source));
  std::stop_source full;
  std::stop_callback stop(context.stopping, [&full] { full.request_stop(); });
  EventPage page(params, limit, format, full);
  // From its start: what is new on a page is told by what came before it.
  Result<TraceReading> reading = read_source(archive, source, page, full.get_token());
  if (!reading && !(page.next() && !context.stopping.stop_requested())) {
    return fail(std::move(reading).error());
  }
  TraceShowResult result;
  if (source.path.empty()) {
    TRY_ASSIGN(result.trace, summary_of(archive, source.row));
  } else {
    store::SessionRow row;
    trace::SessionSummary words = page.summary();
    archive::describe(row, words, {});
    row.source = source.path;
    row.format = enum_name(format);
    row.text_size = reading ? static_cast<std::int64_t>(reading->bytes) : 0;
    row.redacted = reading ? reading->counts.definite : 0;
    result.trace = summary_of(row);
    source.row = std::move(row);
  }
  std::vector<store::SessionTool> tools = source.row.tools;
  std::ranges::sort(tools, std::greater<>{}, &store::SessionTool::calls);
  tools.resize(std::min(tools.size(), k_tools_shown));
  for (const store::SessionTool& tool : tools) {
    result.tools.push_back({tool.tool, tool.calls, tool.errors});
  }
  for (const auto& [type, count] : page.summary().unknown) {
    result.unknown.push_back({type, static_cast<std::int64_t>(count)});
  }
  result.events = page.take_events();
  if (std::uint64_t replayed = page.summary().counts.replayed; replayed > 0 && params.offset <= 0) {
    TraceEvent told{.kind = "meta", .form = "copy"};
    told.text = std::to_string(replayed) + (replayed == 1 ? " event" : " events")
                + " of the session it was forked from";
    result.events.insert(result.events.begin(), std::move(told));
  }
  result.next_offset = page.next();
  return result;
}

} // namespace

Awaitable<TraceShowResult>
show_trace(TraceRoom room, TraceShowParams params, RequestContext context) {
  auto work = [&](archive::Archive& archive) { return show(archive, params, context); };
  AWAIT(Result<TraceShowResult> result, room.desk.with(std::move(work)));
  co_return result;
}

} // namespace upskill::daemon
