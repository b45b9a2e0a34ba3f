#pragma once
#include "protocol/types/traces.h"

namespace upskill {

enum class TraceImportState { imported, updated, unchanged, skipped, failed };

template <> struct EnumNames<TraceImportState> {
  static constexpr std::array<std::string_view, 5> names{
      "imported", "updated", "unchanged", "skipped", "failed"};
};

struct TraceImportParams {
  std::vector<std::string> paths = {};
  std::string agent = {};
  std::string since = {};
  bool raw = false;
  bool force = false;
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&TraceImportParams::paths,
               "paths",
               "Files, or folders of them; where none is named, every session of the agents here.");
    f.optional(&TraceImportParams::agent, "agent", "Only sessions of this agent.");
    f.optional(&TraceImportParams::since, "since", "Only files changed since: a date, or `7d`.");
    f.optional(&TraceImportParams::raw,
               "raw",
               "Keep secrets, too: for a week and 256 MiB; nothing but this machine's user gets at "
               "them, and what leaves is redacted all the same.");
    f.optional(&TraceImportParams::force, "force", "Read again what did not change.");
    f.optional(&TraceImportParams::dry_run, "dry_run", "Change nothing.");
  }
};

struct TraceImported {
  std::string path = {};
  TraceImportState state = TraceImportState::imported;
  std::string id = {};
  std::string agent = {};
  std::string title = {};
  std::string format = {};
  std::int64_t events = 0;
  std::int64_t redacted = 0;
  std::vector<std::string> flagged = {};
  std::string reason = {};

  static void describe(auto& f) {
    f.required(&TraceImported::path, "path", "The file.");
    f.required(&TraceImported::state, "state", "What became of it.");
    f.optional(&TraceImported::id, "id", "The session.");
    f.optional(&TraceImported::agent, "agent", "The program that wrote it.");
    f.optional(&TraceImported::title, "title", "Its title.");
    f.optional(&TraceImported::format, "format", "Form of the file.");
    f.optional(&TraceImported::events, "events", "Events that were read now.");
    f.optional(&TraceImported::redacted, "redacted", "Secrets that were removed.");
    f.optional(&TraceImported::flagged, "flagged", "Rules that found what may be a secret.");
    f.optional(&TraceImported::reason, "reason", "Why not, or what was left out.");
  }
};

struct TraceImportResult {
  std::vector<TraceImported> files = {};
  std::int64_t imported = 0;
  std::int64_t updated = 0;
  std::int64_t unchanged = 0;
  std::int64_t failed = 0;
  std::int64_t bytes = 0;
  std::int64_t redacted = 0;
  std::vector<std::string> looked_in = {};
  bool dry_run = false;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&TraceImportResult::files,
               "files",
               "Those that were read, and those that could not be; at most 1000.");
    f.required(&TraceImportResult::imported, "imported", "New sessions.");
    f.required(&TraceImportResult::updated, "updated", "Sessions that had grown.");
    f.required(&TraceImportResult::unchanged, "unchanged", "Sessions that had not.");
    f.required(&TraceImportResult::failed, "failed", "Files that could not be read.");
    f.optional(&TraceImportResult::bytes, "bytes", "Bytes that were read.");
    f.optional(&TraceImportResult::redacted, "redacted", "Secrets that were removed.");
    f.optional(&TraceImportResult::looked_in, "looked_in", "Folders that were looked through.");
    f.optional(&TraceImportResult::dry_run, "dry_run", "Nothing was changed.");
    f.optional(&TraceImportResult::warnings, "warnings", "What could not be looked at.");
  }
};

enum class TraceExportFormat { sts, atif, markdown };

template <> struct EnumNames<TraceExportFormat> {
  static constexpr std::array<std::string_view, 3> names{"sts", "atif", "markdown"};
};

struct TraceExportParams {
  std::string id = {};
  TraceExportFormat format = TraceExportFormat::sts;
  std::string output = {};

  static void describe(auto& f) {
    f.required(&TraceExportParams::id, "id", "The session, or the beginning of its id; or a file.");
    f.optional(
        &TraceExportParams::format,
        "format",
        "`sts` (Hugging Face's Session Trace Simple Format), `atif` (Harbor's), `markdown`.");
    f.optional(&TraceExportParams::output, "output", "File to write; else it is printed.");
  }
};

struct TraceExportResult {
  std::string id = {};
  TraceExportFormat format = TraceExportFormat::sts;
  std::string output = {};
  std::string text = {};
  std::int64_t bytes = 0;
  std::int64_t events = 0;
  std::int64_t redacted = 0;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&TraceExportResult::id, "id", "The session.");
    f.required(&TraceExportResult::format, "format", "What was written.");
    f.optional(&TraceExportResult::output, "output", "File that was written.");
    f.optional(&TraceExportResult::text, "text", "The export, where no file was named.");
    f.required(&TraceExportResult::bytes, "bytes", "Its length.");
    f.required(&TraceExportResult::events, "events", "Events that are in it.");
    f.optional(&TraceExportResult::redacted, "redacted", "Secrets that were removed on the way.");
    f.optional(&TraceExportResult::warnings, "warnings", "What may still be a secret, and more.");
  }
};

struct TraceDistillParams {
  std::vector<std::string> sources = {};
  std::int64_t tokens = 24'000;
  std::string output = {};

  static void describe(auto& f) {
    f.required(&TraceDistillParams::sources, "sources", "Sessions by their ids, or files.");
    f.optional(&TraceDistillParams::tokens, "tokens", "At most this many, of all together.");
    f.optional(&TraceDistillParams::output, "output", "File to write; else it is printed.");
  }
};

struct TraceDistilled {
  std::string source = {};
  std::string id = {};
  std::string agent = {};
  std::string format = {};
  std::int64_t tokens = 0;
  TraceCounts counts = {};

  static void describe(auto& f) {
    f.required(&TraceDistilled::source, "source", "As it was named.");
    f.optional(&TraceDistilled::id, "id", "The session.");
    f.optional(&TraceDistilled::agent, "agent", "The program that wrote it.");
    f.optional(&TraceDistilled::format, "format", "Form of the file.");
    f.required(&TraceDistilled::tokens, "tokens", "About so many of it are in the text.");
    f.required(&TraceDistilled::counts, "counts", "What is in the text and what is not.");
  }
};

struct TraceDistillResult {
  std::string text = {};
  std::int64_t tokens = 0;
  std::vector<TraceDistilled> traces = {};
  std::vector<std::string> flagged = {};
  std::string output = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&TraceDistillResult::text, "text", "Evidence for a teacher model; secrets removed.");
    f.required(&TraceDistillResult::tokens, "tokens", "About so many.");
    f.required(&TraceDistillResult::traces, "traces", "What each session gave.");
    f.optional(&TraceDistillResult::flagged,
               "flagged",
               "Rules that found in the text what may be a secret: it goes to no model until it is "
               "allowed.");
    f.optional(&TraceDistillResult::output, "output", "File that was written.");
    f.optional(&TraceDistillResult::warnings, "warnings", "What could not be read.");
  }
};

struct TracePurgeParams {
  std::vector<std::string> ids = {};
  std::string agent = {};
  std::string project = {};
  std::string before = {};
  bool all = false;
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&TracePurgeParams::ids, "ids", "Sessions to forget.");
    f.optional(&TracePurgeParams::agent, "agent", "All of this agent.");
    f.optional(&TracePurgeParams::project, "project", "All in this folder or below it.");
    f.optional(&TracePurgeParams::before, "before", "All that ended before: a date, or `90d`.");
    f.optional(&TracePurgeParams::all, "all", "All there are.");
    f.optional(&TracePurgeParams::dry_run, "dry_run", "Change nothing.");
  }
};

struct TracePurgeResult {
  std::vector<TraceSummary> removed = {};
  std::int64_t count = 0;
  std::int64_t bytes = 0;
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&TracePurgeResult::removed, "removed", "Sessions that are gone; at most 1000.");
    f.required(&TracePurgeResult::count, "count", "How many.");
    f.optional(&TracePurgeResult::bytes, "bytes", "What they took on the disk.");
    f.optional(&TracePurgeResult::dry_run, "dry_run", "Nothing was changed.");
  }
};

enum class TraceCaptureAction { status, on, off };

template <> struct EnumNames<TraceCaptureAction> {
  static constexpr std::array<std::string_view, 3> names{"status", "on", "off"};
};

struct TraceCaptureParams {
  TraceCaptureAction action = TraceCaptureAction::status;
  std::string agent = {};
  std::string folder = {};
  std::optional<std::int64_t> days = {};
  std::optional<std::int64_t> megabytes = {};

  static void describe(auto& f) {
    f.optional(&TraceCaptureParams::action, "action", "`on`, `off`, or `status`.");
    f.optional(&TraceCaptureParams::agent, "agent", "Only of this agent.");
    f.optional(&TraceCaptureParams::folder, "folder", "Only of sessions in this project.");
    f.optional(&TraceCaptureParams::days, "days", "Forget sessions after so many days; 0: never.");
    f.optional(&TraceCaptureParams::megabytes,
               "megabytes",
               "Forget the oldest where they take more than this on the disk; 0: never.");
  }
};

// One word of the person: the most exact one that fits a session holds.
struct TraceCaptureRule {
  std::string agent = {};
  std::string folder = {};
  bool on = false;

  static void describe(auto& f) {
    f.optional(&TraceCaptureRule::agent, "agent", "Of this agent; absent: of all.");
    f.optional(&TraceCaptureRule::folder, "folder", "In this folder; absent: everywhere.");
    f.required(&TraceCaptureRule::on, "on", "Whether sessions are captured.");
  }
};

struct TraceCapturePlace {
  std::string agent = {};
  std::string folder = {};
  std::int64_t files = 0;
  bool watched = false;
  std::string reason = {};

  static void describe(auto& f) {
    f.required(&TraceCapturePlace::agent, "agent", "The agent.");
    f.required(&TraceCapturePlace::folder, "folder", "Where it keeps its sessions.");
    f.optional(&TraceCapturePlace::files, "files", "Sessions that lie there.");
    f.optional(&TraceCapturePlace::watched, "watched", "It is followed live.");
    f.optional(&TraceCapturePlace::reason, "reason", "Why not.");
  }
};

struct TraceCaptureResult {
  std::vector<TraceCaptureRule> rules = {};
  std::vector<TraceCapturePlace> places = {};
  std::int64_t sessions = 0;
  std::int64_t bytes = 0;
  std::int64_t days = 0;
  std::int64_t megabytes = 0;
  std::int64_t hook_events = 0;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&TraceCaptureResult::rules, "rules", "What was switched on and off.");
    f.required(&TraceCaptureResult::places, "places", "Where the agents here keep sessions.");
    f.required(&TraceCaptureResult::sessions, "sessions", "Sessions that are kept.");
    f.required(&TraceCaptureResult::bytes, "bytes", "What they take on the disk.");
    f.required(&TraceCaptureResult::days, "days", "They are forgotten after so many; 0: never.");
    f.required(&TraceCaptureResult::megabytes, "megabytes", "The most they may take; 0: any.");
    f.optional(&TraceCaptureResult::hook_events,
               "hook_events",
               "Events of agents' hooks since the daemon began.");
    f.optional(&TraceCaptureResult::warnings, "warnings", "What stands in the way.");
  }
};

struct TraceAllowParams {
  std::string id = {};
  std::vector<std::string> rules = {};
  bool revoke = false;

  static void describe(auto& f) {
    f.required(&TraceAllowParams::id, "id", "The session, or the beginning of its id.");
    f.optional(&TraceAllowParams::rules, "rules", "Only what these rules found; else all.");
    f.optional(&TraceAllowParams::revoke, "revoke", "Take it back.");
  }
};

struct TraceFinding {
  std::string rule = {};
  std::int64_t count = 0;
  bool allowed = false;

  static void describe(auto& f) {
    f.required(&TraceFinding::rule, "rule", "The rule.");
    f.required(&TraceFinding::count, "count", "How often it found something.");
    f.required(&TraceFinding::allowed, "allowed", "It may leave this machine.");
  }
};

struct TraceAllowResult {
  std::string id = {};
  std::vector<TraceFinding> findings = {};

  static void describe(auto& f) {
    f.required(&TraceAllowResult::id, "id", "The session.");
    f.required(&TraceAllowResult::findings, "findings", "What may be secrets in it.");
  }
};

// What an agent's hook tells, in the words of Claude Code, Codex, Gemini CLI, Cursor and Copilot,
// by the members that hook::read_payload() looks at; whatever else it says is passed over.
struct HookEventParams {
  std::string agent = {};
  std::string hook_event_name = {};
  std::string copilot_event = {};
  std::string type = {};
  std::string session_id = {};
  std::string copilot_session = {};
  std::string conversation_id = {};
  std::string thread_id = {};
  std::string turn_id = {};
  std::string generation_id = {};
  std::string notify_turn = {};
  std::string transcript_path = {};
  std::string copilot_transcript = {};
  std::string agent_id = {};
  std::string agent_transcript_path = {};
  std::string cwd = {};
  std::vector<std::string> workspace_roots = {};
  std::string cursor_version = {};
  std::string copilot_tool = {};
  JsonText timestamp = {};

  static constexpr bool k_lenient = true;

  static void describe(auto& f) {
    f.optional(&HookEventParams::agent, "agent", "The agent, where its words do not tell.");
    f.optional(&HookEventParams::hook_event_name, "hook_event_name", "What happened.");
    f.optional(
        &HookEventParams::copilot_event, "hookEventName", "What happened, as Copilot says it.");
    f.optional(&HookEventParams::type, "type", "What happened, as Codex's `notify` says it.");
    f.optional(&HookEventParams::session_id, "session_id", "The session.");
    f.optional(&HookEventParams::copilot_session, "sessionId", "The session, as Copilot says it.");
    f.optional(
        &HookEventParams::conversation_id, "conversation_id", "The session, as Cursor says it.");
    f.optional(
        &HookEventParams::thread_id, "thread-id", "The session, as Codex's `notify` says it.");
    f.optional(&HookEventParams::turn_id, "turn_id", "The turn.");
    f.optional(&HookEventParams::generation_id, "generation_id", "The turn, as Cursor says it.");
    f.optional(&HookEventParams::notify_turn, "turn-id", "The turn, as Codex's `notify` says it.");
    f.optional(&HookEventParams::transcript_path, "transcript_path", "The file of the session.");
    f.optional(
        &HookEventParams::copilot_transcript, "transcriptPath", "The same, as Copilot says it.");
    f.optional(&HookEventParams::agent_id, "agent_id", "A helper within the session.");
    f.optional(&HookEventParams::agent_transcript_path,
               "agent_transcript_path",
               "The file of the helper.");
    f.optional(&HookEventParams::cwd, "cwd", "Where the agent works.");
    f.optional(
        &HookEventParams::workspace_roots, "workspace_roots", "The same, as Cursor says it.");
    f.optional(&HookEventParams::cursor_version, "cursor_version", "Tells that it is Cursor.");
    f.optional(&HookEventParams::copilot_tool, "toolName", "Tells that it is Copilot.");
    f.optional(&HookEventParams::timestamp,
               "timestamp",
               "When; tells Gemini's texts from Copilot's numbers.");
  }
};

struct HookEventResult {
  bool noted = false;

  static void describe(auto& f) {
    f.required(&HookEventResult::noted, "noted", "Its session is captured.");
  }
};

} // namespace upskill
