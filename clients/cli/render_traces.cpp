#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_id_shown = 8;      // characters at least
constexpr std::size_t k_all_columns = 100; // of the screen, where numbers leave room for titles

// How a session is named in a list: so much of its id that no other one there begins alike. Of a
// helper its own id behind a slash, of what was set aside (`ID~TIME`) also when.
std::string short_id(const TraceSummary& trace, std::size_t shown = k_id_shown) {
  if (!trace.helper.empty()) {
    return "/" + clean_line(trace.helper).substr(0, shown);
  }
  std::string id = clean_line(trace.id);
  std::size_t tilde = std::min(id.find('~'), id.size());
  return id.substr(0, std::min(shown, tilde)) + id.substr(tilde);
}

std::vector<std::string> short_ids(const std::vector<TraceSummary>& traces) {
  std::vector<std::string> ids;
  for (const TraceSummary& trace : traces) {
    std::size_t most = std::max(trace.id.size(), trace.helper.size());
    auto is_taken = [&](std::size_t shown) {
      return std::ranges::any_of(traces, [&](const TraceSummary& other) {
        bool is_same = other.id == trace.id && other.helper == trace.helper;
        return !is_same && short_id(other, shown) == short_id(trace, shown);
      });
    };
    std::size_t shown = k_id_shown;
    while (shown < most && is_taken(shown)) {
      ++shown;
    }
    ids.push_back(short_id(trace, shown));
  }
  return ids;
}

std::string title_of(const TraceSummary& trace) {
  return trace.title.empty() ? std::string("untitled") : trace.title;
}

std::string_view last_time(const TraceSummary& trace) {
  return trace.ended_at.empty() ? trace.started_at : trace.ended_at;
}

// "2026-11-21"
std::string day_of(std::string_view rfc3339) {
  return human_time(rfc3339).substr(0, 10);
}

// A line that ends where the screen does, after words in bold.
void add_cut_line(Page& page, const std::string& bold, const std::string& rest) {
  std::size_t taken = std::min(display_width(bold) + 2, page.screen().columns - 1);
  page.line(page.tint(Tint::bold, bold) + "  "
            + cut(rest, page.screen().columns - taken, page.ellipsis()));
}

Tint tint_of(TraceOutcome outcome) {
  switch (outcome) {
  case TraceOutcome::approved:
    return Tint::green;
  case TraceOutcome::failed:
  case TraceOutcome::interrupted:
    return Tint::red;
  case TraceOutcome::corrected:
    return Tint::yellow;
  default:
    return Tint::dim;
  }
}

std::string word_of(TraceOutcome outcome) {
  return outcome == TraceOutcome::unknown ? std::string() : std::string(enum_name(outcome));
}

// "3 prompts, 24 calls, 2 errors"
std::string work_of(const TraceSummary& trace) {
  std::string text = count(trace.prompts, "prompt", "prompts");
  text += ", " + count(trace.tool_calls, "call", "calls");
  if (trace.errors > 0) {
    text += ", " + count(trace.errors, "error", "errors");
  }
  return text;
}

void add_line(Page& page, std::string_view name, const std::string& text) {
  if (!text.empty()) {
    page.line(page.tint(Tint::dim, std::string(name) + std::string(11 - name.size(), ' ')) + text);
  }
}

std::string tokens_of(const TraceTokens& tokens) {
  std::string text;
  auto add = [&](const std::optional<std::int64_t>& value, const char* what) {
    if (value) {
      text += (text.empty() ? "" : ", ") + grouped(*value) + " " + what;
    }
  };
  add(tokens.input, "in");
  add(tokens.output, "out");
  add(tokens.cache_read, "from the cache");
  add(tokens.cache_write, "into it");
  return text;
}

std::string dollars(double cost) {
  char text[32];
  std::snprintf(text, sizeof text, cost < 0.1 ? "$%.4f" : "$%.2f", cost);
  return text;
}

std::string uses_of(const std::vector<TraceUse>& uses) {
  std::string text;
  for (const TraceUse& use : uses) {
    text += (text.empty() ? "" : ", ") + clean_line(use.name) + " " + grouped(use.uses);
    if (use.errors > 0) {
      text += " (" + grouped(use.errors) + " failed)";
    }
  }
  return text;
}

void print_summary(Page& page, const TraceSummary& trace) {
  page.headline(clean_line(title_of(trace)), "");
  std::string who = clean_line(trace.agent);
  if (!trace.models.empty()) {
    who += " with " + clean_line(joined(trace.models));
  }
  add_line(page,
           "session",
           clean_line(trace.id) + (trace.helper.empty() ? "" : " / " + clean_line(trace.helper)));
  add_line(page, "agent", who);
  std::string project = page.path(trace.project);
  add_line(
      page, "project", project + (trace.branch.empty() ? "" : " on " + clean_line(trace.branch)));
  std::string when = human_time(trace.started_at);
  if (!trace.ended_at.empty() && human_time(trace.ended_at) != when) {
    when += " to " + human_time(trace.ended_at);
  }
  add_line(page, "when", when);
  add_line(page, "work", work_of(trace));
  std::string remarks;
  if (trace.interrupts > 0) {
    remarks = count(trace.interrupts, "interrupt", "interrupts");
  }
  if (trace.corrections > 0) {
    remarks +=
        (remarks.empty() ? "" : ", ") + count(trace.corrections, "correction", "corrections");
  }
  std::string outcome = word_of(trace.outcome);
  add_line(page,
           "outcome",
           outcome.empty()   ? remarks
           : remarks.empty() ? outcome
                             : outcome + "; " + remarks);
  add_line(page, "tokens", tokens_of(trace.tokens));
  add_line(page, "cost", trace.cost ? dollars(*trace.cost) : std::string());
  add_line(page, "skills", clean_line(joined(trace.skills)));
  std::string kept = human_bytes(trace.bytes);
  if (trace.redacted > 0) {
    kept += ", " + count(trace.redacted, "secret", "secrets") + " removed";
  }
  add_line(page, "kept", trace.raw ? kept + ", with its secrets" : kept);
  add_line(page, "from", page.path(trace.source));
}

void warn_of_flags(Page& page, const std::vector<std::string>& flagged, std::string_view id) {
  if (!flagged.empty()) {
    page.warning("what may be a secret is in it (" + joined(flagged)
                 + "): it goes to no agent and no model until `upskill trace allow "
                 + std::string(id) + "`");
  }
}

std::string_view sign_of(const Page& page, const TraceEvent& event) {
  if (event.kind == "user") {
    return page.sign("❯", ">");
  }
  if (event.kind == "tool_call") {
    return page.sign("●", "*");
  }
  if (event.kind == "tool_result") {
    return page.sign("└", "-");
  }
  return " ";
}

Tint tint_of(const TraceEvent& event) {
  if (event.failed.value_or(false) || event.form == "interrupt") {
    return Tint::red;
  }
  if (event.kind == "user" && event.form == "prompt") {
    return Tint::bold;
  }
  if (event.kind == "tool_call") {
    return Tint::cyan;
  }
  return event.kind == "assistant" && event.form != "thinking" ? Tint::plain : Tint::dim;
}

void print_event(Page& page, const TraceEvent& event) {
  std::string head = event.tool.empty() ? std::string() : clean_line(event.tool) + " ";
  if (event.exit_code && *event.exit_code != 0) {
    head += "exit " + std::to_string(*event.exit_code) + " ";
  }
  bool is_plain = (event.kind == "user" && event.form == "prompt") || event.kind == "tool_call"
                  || event.kind == "tool_result" || event.kind == "assistant";
  if (!is_plain || event.form == "thinking") {
    head += "(" + clean_line(event.form) + ") ";
  }
  std::string text =
      head + clean_block(event.text) + (event.cut ? std::string(page.ellipsis()) : "");
  std::size_t room = std::max<std::size_t>(20, page.screen().columns - 2);
  bool is_first = true;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    for (const std::string& line : wrap(text.substr(at, end - at), room)) {
      std::string margin = is_first ? std::string(sign_of(page, event)) + " " : "  ";
      page.line(page.tint(tint_of(event), margin + line));
      is_first = false;
    }
    at = end + 1;
  }
}

} // namespace

void show(Page& page, const Invocation& invocation, const TraceListResult& result) {
  if (result.traces.empty()) {
    page.line(invocation.values.empty() ? "No sessions are kept." : "No session matches.");
    page.paragraph(invocation.values.empty()
                       ? "`upskill trace import` takes those of the agents here; `upskill trace "
                         "capture on` follows them from now on."
                       : "`upskill trace list` shows all of them.");
  } else {
    bool is_wide = page.screen().columns >= k_all_columns;
    std::vector<Column> columns{{"SESSION"}, {"AGENT"}, {"DAY"}, {"TITLE", Fit::shrinks}};
    if (is_wide) {
      columns.insert(columns.end(), {{"CALLS", Fit::right}, {"ERRORS", Fit::right}});
    }
    columns.push_back({"OUTCOME"});
    Table table(std::move(columns));
    std::vector<std::string> ids = short_ids(result.traces);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const TraceSummary& trace = result.traces[i];
      std::vector<Cell> row{{ids[i], Tint::bold},
                            {trace.agent},
                            {day_of(last_time(trace)), Tint::dim},
                            {title_of(trace)}};
      if (is_wide) {
        row.push_back({grouped(trace.tool_calls)});
        row.push_back({trace.errors > 0 ? grouped(trace.errors) : std::string(),
                       trace.errors > 0 ? Tint::red : Tint::plain});
      }
      row.push_back({word_of(trace.outcome), tint_of(trace.outcome)});
      table.add(std::move(row));
    }
    table.print(page);
  }
  if (static_cast<std::int64_t>(result.traces.size()) < result.total) {
    page.line();
    page.line(
        page.tint(Tint::dim,
                  grouped(static_cast<long long>(result.traces.size())) + " of "
                      + count(result.total, "session", "sessions")
                      + (result.next_cursor.empty()
                             ? std::string()
                             : "; go on with `--cursor " + clean_line(result.next_cursor) + "`")));
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation&, const TraceSearchResult& result) {
  if (result.traces.empty()) {
    page.line("Nothing was found.");
  }
  std::vector<std::string> ids = short_ids(result.traces);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const TraceSummary& trace = result.traces[i];
    add_cut_line(page, ids[i], clean_line(title_of(trace)));
    std::string where = clean_line(trace.agent);
    for (const std::string& part : {human_time(last_time(trace)), page.path(trace.project)}) {
      where += part.empty() ? "" : ", " + part;
    }
    page.line(page.tint(Tint::dim, "  " + where));
    if (!trace.snippet.empty()) {
      page.paragraph(clean_line(trace.snippet), 2);
    }
    page.line();
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation&, const TraceReadResult& result) {
  page.line(clean_block(result.text));
}

void show(Page& page, const Invocation& invocation, const TraceShowResult& result) {
  print_summary(page, result.trace);
  add_line(page, "tools", uses_of(result.tools));
  add_line(page, "unknown", uses_of(result.unknown));
  page.line();
  for (const TraceEvent& event : result.events) {
    print_event(page, event);
  }
  if (result.next_offset) {
    page.line();
    page.line(page.tint(Tint::dim,
                        "There is more: `upskill trace show "
                            + clean_line(invocation.value("id").value_or(result.trace.id))
                            + " --offset " + std::to_string(*result.next_offset) + "`"));
  }
  warn_of_flags(page, result.trace.flagged, short_id(result.trace));
}

} // namespace upskill::cli
