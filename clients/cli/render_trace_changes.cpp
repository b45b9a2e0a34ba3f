#include "clients/cli/render.h"
#include "clients/cli/table.h"
#include "clients/cli/text.h"

#include <algorithm>

namespace upskill::cli {
namespace {

constexpr std::size_t k_files_shown = 30;

Tint tint_of(TraceImportState state) {
  switch (state) {
  case TraceImportState::failed:
    return Tint::red;
  case TraceImportState::imported:
  case TraceImportState::updated:
    return Tint::green;
  default:
    return Tint::dim;
  }
}

// "38 events, 1 secret removed"
std::string about(const TraceImported& file) {
  std::string text = count(file.events, "event", "events");
  if (file.redacted > 0) {
    text += ", " + count(file.redacted, "secret", "secrets") + " removed";
  }
  return file.flagged.empty() ? text : text + ", flagged";
}

bool is_read(const TraceImported& file) {
  return file.state == TraceImportState::imported || file.state == TraceImportState::updated;
}

// What was taken, a line each; then what was not, with its whole reason.
void print_files(Page& page, const std::vector<TraceImported>& files) {
  Table table({{""}, {""}, {"", Fit::shrinks}, {""}});
  std::size_t shown = 0;
  for (const TraceImported& file : files) {
    if (is_read(file) && ++shown <= k_files_shown) {
      table.add({{std::string(enum_name(file.state)), tint_of(file.state)},
                 {file.agent},
                 {file.title.empty() ? page.path(file.path) : file.title},
                 {about(file), Tint::dim}});
    }
  }
  table.print(page);
  std::size_t left = shown - std::min(shown, k_files_shown);
  shown = 0;
  for (const TraceImported& file : files) {
    // Of what was taken, what could not be read of it.
    if ((is_read(file) && file.reason.empty()) || ++shown > k_files_shown) {
      continue;
    }
    std::string state(enum_name(file.state));
    page.line(page.tint(tint_of(file.state), state) + std::string(10 - state.size(), ' ')
              + page.path(file.path));
    page.paragraph(file.reason, 10, Tint::dim);
  }
  left += shown - std::min(shown, k_files_shown);
  if (left > 0) {
    page.line(page.tint(Tint::dim,
                        "and " + count(static_cast<long long>(left), "more file", "more files")
                            + "; `--json` lists them"));
  }
}

void print_counts(Page& page, std::string_view source, const TraceCounts& counts, Stream stream) {
  page.line(page.tint(Tint::dim, clean_line(source) + ": ")
                + count(counts.events, "event", "events") + " of " + human_bytes(counts.raw_bytes)
                + ", " + grouped(counts.kept) + " kept, " + grouped(counts.left_out) + " left out",
            stream);
  std::string marks;
  auto add = [&](std::int64_t number, std::string_view one, std::string_view many) {
    if (number > 0) {
      marks += (marks.empty() ? "" : ", ") + count(number, one, many);
    }
  };
  add(counts.beats, "beat", "beats");
  add(counts.errors, "error", "errors");
  add(counts.recoveries, "of them mended", "of them mended");
  add(counts.interrupts, "interrupt", "interrupts");
  add(counts.corrections, "correction", "corrections");
  add(counts.approvals, "approval", "approvals");
  add(counts.redacted, "secret removed", "secrets removed");
  if (!marks.empty()) {
    page.line(page.tint(Tint::dim, "  " + marks), stream);
  }
}

} // namespace

void show(Page& page, const Invocation&, const TraceImportResult& result) {
  print_files(page, result.files);
  if (!result.files.empty()) {
    page.line();
  }
  std::string text = count(result.imported, "session", "sessions")
                     + (result.dry_run ? " would be imported" : " imported");
  if (result.updated > 0) {
    text += ", " + grouped(result.updated) + " updated";
  }
  if (result.unchanged > 0) {
    text += ", " + grouped(result.unchanged) + " unchanged";
  }
  if (result.failed > 0) {
    text += ", " + grouped(result.failed) + " could not be read";
  }
  page.line(text + (result.bytes > 0 ? "; " + human_bytes(result.bytes) + " read" : ""));
  if (result.redacted > 0) {
    page.line(count(result.redacted, "secret", "secrets") + " removed");
  }
  if (result.files.empty() && result.unchanged == 0) {
    page.paragraph("Looked in: "
                   + (result.looked_in.empty()
                          ? std::string("nowhere, no agent that keeps sessions is here")
                          : page.prose(joined(result.looked_in))));
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation&, const TraceExportResult& result) {
  Stream remarks = result.output.empty() ? Stream::err : Stream::out;
  if (result.output.empty()) {
    // Exactly what a file would hold; only what would drive a terminal is taken out.
    std::string_view text = result.text;
    page.line(clean_block(text.ends_with('\n') ? text.substr(0, text.size() - 1) : text));
  } else {
    page.line(std::string(enum_name(result.format)) + " with "
              + count(result.events, "event", "events") + " (" + human_bytes(result.bytes)
              + ") written to " + page.path(result.output));
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning, remarks);
  }
}

void show(Page& page, const Invocation&, const TraceDistillResult& result) {
  // A program, or a file, gets the evidence alone.
  Stream remarks = result.output.empty() ? Stream::err : Stream::out;
  if (result.output.empty()) {
    page.line(clean_block(result.text));
  }
  for (const TraceDistilled& trace : result.traces) {
    print_counts(page, page.path(trace.source), trace.counts, remarks);
  }
  page.line("About " + count(result.tokens, "token", "tokens")
                + (result.output.empty() ? "" : " written to " + page.path(result.output)),
            remarks);
  if (!result.flagged.empty()) {
    page.warning("what may be a secret is in it (" + joined(result.flagged)
                     + "): it goes to no model until `upskill trace allow`",
                 remarks);
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning, remarks);
  }
}

void show(Page& page, const Invocation&, const TracePurgeResult& result) {
  Table table({{""}, {""}, {"", Fit::shrinks}});
  for (const TraceSummary& trace : result.removed) {
    std::string who =
        clean_line(trace.id) + (trace.helper.empty() ? "" : "/" + clean_line(trace.helper));
    table.add({{who, Tint::dim}, {trace.agent}, {trace.title}});
  }
  table.print(page);
  page.line(count(result.count, "session", "sessions") + " (" + human_bytes(result.bytes) + ")"
            + (result.dry_run ? " would be forgotten" : " forgotten")
            + "; the agents' own files stay");
}

void show(Page& page, const Invocation&, const TraceCaptureResult& result) {
  if (result.rules.empty()) {
    page.line("Capture is off: sessions are kept only by `upskill trace import`.");
    page.paragraph(
        "`upskill trace capture on` follows the sessions of all agents here, `--agent` and "
        "`--folder` of some.");
  }
  for (const TraceCaptureRule& rule : result.rules) {
    page.line(page.tint(rule.on ? Tint::green : Tint::yellow, rule.on ? "on " : "off") + "  "
              + (rule.agent.empty() ? std::string("every agent") : clean_line(rule.agent))
              + (rule.folder.empty() ? std::string() : " in " + page.path(rule.folder)));
  }
  page.line();
  Table table({{"AGENT"}, {"SESSIONS", Fit::right}, {"FOLDER", Fit::shrinks}, {""}});
  for (const TraceCapturePlace& place : result.places) {
    table.add({{place.agent},
               {grouped(place.files)},
               {page.path(place.folder)},
               {place.watched ? "followed" : clean_line(place.reason),
                place.watched ? Tint::green : Tint::dim}});
  }
  if (!table.empty()) {
    table.print(page);
    page.line();
  }
  std::string kept =
      count(result.sessions, "session is", "sessions are") + " kept, " + human_bytes(result.bytes);
  kept += result.days > 0 ? ", for " + count(result.days, "day", "days") : ", for ever";
  kept += result.megabytes > 0 ? " and at most " + grouped(result.megabytes) + " MB" : "";
  page.line(kept);
  if (result.hook_events > 0) {
    page.line(count(result.hook_events, "event", "events") + " of hooks since the daemon began");
  }
  for (const std::string& warning : result.warnings) {
    page.warning(warning);
  }
}

void show(Page& page, const Invocation&, const TraceAllowResult& result) {
  if (result.findings.empty()) {
    page.line("Nothing in it looks like a secret.");
  }
  for (const TraceFinding& finding : result.findings) {
    page.line(page.tint(finding.allowed ? Tint::green : Tint::yellow,
                        finding.allowed ? "allowed" : "blocked")
              + "  " + clean_line(finding.rule) + ", " + count(finding.count, "place", "places"));
  }
}

// An agent's hook shows nothing to people.
void show(Page& page, const Invocation&, const HookEventResult& result) {
  page.line(result.noted ? "noted" : "its session is not captured");
}

} // namespace upskill::cli
