#pragma once
#include "protocol/types/describe.h"
#include "protocol/types/sync.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace upskill {

struct NoParams {
  static void describe(auto&) {}
};

// What our own clients say about themselves in `_meta["upskill/context"]`, over the socket only
// (decisions: CallContext). Used for that call; never logged, never stored.
struct CallContext {
  static constexpr bool k_lenient = true;
  std::string version = {}; // of the program that asks; the daemon may be another
  std::string cwd = {};
  std::string config = {};
  std::optional<std::int64_t> columns = {};
  bool interactive = false;
  std::map<std::string, std::string> environment = {};

  static void describe(auto& f) {
    f.optional(&CallContext::version, "version", "Of the program that asks.");
    f.optional(&CallContext::cwd, "cwd", "Working directory of the caller.");
    f.optional(&CallContext::config, "config", "Path of the configuration to use.");
    f.optional(&CallContext::columns, "columns", "Width of the caller's terminal.");
    f.optional(&CallContext::interactive, "interactive", "A person can be asked.");
    f.optional(&CallContext::environment, "environment", "Variables that name keys and base URLs.");
  }
};

struct StatusResult {
  std::string version;
  std::int64_t pid = 0;
  double uptime = 0;
  std::string state_directory;
  SyncState sync = SyncState::off;
  std::int64_t skills = 0;
  std::int64_t roots = 0;
  std::int64_t agents = 0;
  std::optional<std::int64_t> taking_part = {};
  std::int64_t conflicts = 0;
  std::int64_t held = 0;
  std::string watch = {};
  std::vector<std::string> captured = {};
  std::string reason = {};
  std::string hint = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&StatusResult::version, "version", "Of the daemon.");
    f.required(&StatusResult::pid, "pid", "Its process.");
    f.required(&StatusResult::uptime, "uptime", "Seconds since it started.");
    f.required(&StatusResult::state_directory, "state_directory", "Which daemon it is.");
    f.required(&StatusResult::sync, "sync", "What the sync engine is doing.");
    f.required(&StatusResult::skills, "skills", "Skills found.");
    f.required(&StatusResult::roots, "roots", "Folders that hold skills.");
    f.required(&StatusResult::agents, "agents", "Coding agents found.");
    f.optional(&StatusResult::taking_part, "taking_part", "Agents that sync is for.");
    f.required(&StatusResult::conflicts, "conflicts", "Conflicts that wait for a person.");
    f.required(&StatusResult::held, "held", "Deletions that wait for a person.");
    f.optional(&StatusResult::watch, "watch", "How folders are watched: `inotify` or `polling`.");
    f.optional(&StatusResult::captured, "captured", "Agents whose sessions are followed and kept.");
    f.optional(&StatusResult::reason, "reason", "Why sync is stopped.");
    f.optional(&StatusResult::hint, "hint", "What to do about that.");
    f.optional(&StatusResult::warnings, "warnings", "What a person should know.");
  }
};

struct DaemonStatusResult {
  StatusResult status;
  std::int64_t clients = 0;
  std::int64_t rss_bytes = 0;
  std::map<std::string, std::int64_t> counters = {};
  std::string log = {};
  std::string socket = {};
  std::string http = {};

  static void describe(auto& f) {
    f.required(&DaemonStatusResult::status, "status", "As `upskill status` has it.");
    f.required(&DaemonStatusResult::clients, "clients", "Connected now.");
    f.required(&DaemonStatusResult::rss_bytes, "rss_bytes", "Resident memory.");
    f.required(&DaemonStatusResult::counters, "counters", "Counts since the start.");
    f.optional(&DaemonStatusResult::log, "log", "Where it logs.");
    f.optional(&DaemonStatusResult::socket, "socket", "Where it listens.");
    f.optional(&DaemonStatusResult::http, "http", "Where it serves MCP over HTTP, if it does.");
  }
};

struct DaemonStopResult {
  std::int64_t pid = 0;

  static void describe(auto& f) {
    f.required(&DaemonStopResult::pid, "pid", "The process that is stopping.");
  }
};

struct DaemonLogsParams {
  std::int64_t lines = 100;

  static void describe(auto& f) {
    f.optional(&DaemonLogsParams::lines, "lines", "At most this many of the last lines.");
  }
};

struct DaemonLogsResult {
  std::string path = {};
  std::vector<std::string> lines = {};

  static void describe(auto& f) {
    f.required(
        &DaemonLogsResult::path, "path", "The log file; empty where it logs to its terminal.");
    f.required(&DaemonLogsResult::lines, "lines", "Oldest first.");
  }
};

struct WaitIdleParams {
  std::int64_t timeout_ms = 10'000;

  static void describe(auto& f) {
    f.optional(&WaitIdleParams::timeout_ms, "timeout_ms", "Give up after this many milliseconds.");
  }
};

struct WaitIdleResult {
  SyncState state = SyncState::off;
  std::int64_t problems = 0;
  std::optional<std::int64_t> taking_part = {};

  static void describe(auto& f) {
    f.required(&WaitIdleResult::state, "state", "What the engine came to rest in.");
    f.optional(&WaitIdleResult::problems,
               "problems",
               "Skills that are not in sync all the same; `sync_status` says why.");
    f.optional(&WaitIdleResult::taking_part, "taking_part", "Agents that sync is for.");
  }
};

struct AgentStatus {
  std::string agent;
  std::string title = {};
  bool detected = false;
  bool enabled = false;
  std::vector<std::string> reads = {};
  std::string writes = {};
  std::string evidence = {};

  static void describe(auto& f) {
    f.required(&AgentStatus::agent, "agent", "Its id.");
    f.required(&AgentStatus::title, "title", "Its name.");
    f.required(&AgentStatus::detected, "detected", "True when it was found here.");
    f.required(&AgentStatus::enabled, "enabled", "True when it takes part in sync.");
    f.required(&AgentStatus::reads, "reads", "Skill folders it reads, first one first.");
    f.optional(&AgentStatus::writes, "writes", "The folder a copy for it goes to.");
    f.optional(&AgentStatus::evidence, "evidence", "What it was detected by.");
  }
};

struct AgentListParams {
  bool all = false;

  static void describe(auto& f) {
    f.optional(&AgentListParams::all, "all", "Also the agents that were not found here.");
  }
};

struct AgentListResult {
  std::vector<AgentStatus> agents = {};

  static void describe(auto& f) { f.required(&AgentListResult::agents, "agents", "By id."); }
};

enum class FindingLevel { info, warning, error };

template <> struct EnumNames<FindingLevel> {
  static constexpr std::array<std::string_view, 3> names{"info", "warning", "error"};
};

struct Finding {
  FindingLevel level = FindingLevel::info;
  std::string check;
  std::string message;
  std::string hint = {};

  static void describe(auto& f) {
    f.required(&Finding::level, "level", "How bad it is.");
    f.required(&Finding::check, "check", "What was looked at.");
    f.required(&Finding::message, "message", "What was found.");
    f.optional(&Finding::hint, "hint", "What to do about it.");
  }
};

// One skill as one agent will list it.
struct ListedSkill {
  std::string skill;
  std::string path;
  std::int64_t times = 1;
  std::string note = {};

  static void describe(auto& f) {
    f.required(&ListedSkill::skill, "skill", "Name the agent shows.");
    f.required(&ListedSkill::path, "path", "The copy it takes.");
    f.required(&ListedSkill::times, "times", "How often it shows it.");
    f.optional(&ListedSkill::note, "note", "Why it is shown twice, repaired, or not at all.");
  }
};

struct AgentView {
  std::string agent;
  std::vector<ListedSkill> lists = {};
  std::vector<std::string> misses = {};

  static void describe(auto& f) {
    f.required(&AgentView::agent, "agent", "Its id.");
    f.required(&AgentView::lists, "lists", "What it will list, duplicates included.");
    f.optional(&AgentView::misses, "misses", "Skills that it cannot see.");
  }
};

struct DoctorParams {
  bool check = false;

  static void describe(auto& f) {
    f.optional(&DoctorParams::check, "check", "End with 1 when something is wrong.");
  }
};

struct DoctorResult {
  bool healthy = true;
  std::vector<Finding> findings = {};
  std::vector<AgentView> agents = {};
  std::vector<RootStatus> roots = {};

  static void describe(auto& f) {
    f.required(&DoctorResult::healthy, "healthy", "True when there is no warning and no error.");
    f.required(&DoctorResult::findings, "findings", "What was found, worst first.");
    f.required(&DoctorResult::agents, "agents", "What each agent will really list.");
    f.required(&DoctorResult::roots, "roots", "Folders that hold skills.");
  }
};

// One thing that happened, as `upskill watch` and `daemon logs -f` show it.
struct Event {
  std::string time;
  std::string kind;
  std::string skill = {};
  std::string path = {};
  std::string message = {};

  static void describe(auto& f) {
    f.required(&Event::time, "time", "When, RFC 3339 in UTC.");
    f.required(&Event::kind, "kind", "What kind of thing.");
    f.optional(&Event::skill, "skill", "Which skill.");
    f.optional(&Event::path, "path", "Where.");
    f.optional(&Event::message, "message", "In words.");
  }
};

} // namespace upskill
