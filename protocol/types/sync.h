#pragma once
#include "protocol/types/skills.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill {

enum class SyncPolicy { cover, mirror };

template <> struct EnumNames<SyncPolicy> {
  static constexpr std::array<std::string_view, 2> names{"cover", "mirror"};
};

enum class CopyMode { copy, link };

template <> struct EnumNames<CopyMode> {
  static constexpr std::array<std::string_view, 2> names{"copy", "link"};
};

// `stopped`: switched on, but the store cannot be used, so nothing is synchronised.
enum class SyncState { off, idle, working, held, halted, stopped };

template <> struct EnumNames<SyncState> {
  static constexpr std::array<std::string_view, 6> names{
      "off", "idle", "working", "held", "halted", "stopped"};
};

enum class RootState { ok, absent, halted, refused };

template <> struct EnumNames<RootState> {
  static constexpr std::array<std::string_view, 4> names{"ok", "absent", "halted", "refused"};
};

struct RootStatus {
  std::string path;
  Scope scope = Scope::user;
  RootState state = RootState::ok;
  std::string reason = {};
  std::vector<std::string> agents = {};
  std::vector<std::string> aliases = {};
  std::int64_t skills = 0;

  static void describe(auto& f) {
    f.required(&RootStatus::path, "path", "Where the root really is.");
    f.required(&RootStatus::scope, "scope", "User or project.");
    f.required(
        &RootStatus::state, "state", "`halted` waits for a person; `refused` is never written.");
    f.optional(&RootStatus::reason, "reason", "Why it is halted or refused.");
    f.required(&RootStatus::agents, "agents", "Agents that read this root.");
    f.optional(&RootStatus::aliases, "aliases", "Other paths that lead to the same folder.");
    f.required(&RootStatus::skills, "skills", "Skills in it.");
  }
};

// An `excluded` copy was taken away on purpose, and is not made again; one that is `left_alone` is
// there, and neither read nor written.
enum class ReplicaState {
  current,
  absent,
  changed,
  link,
  incomplete,
  problem,
  excluded,
  left_alone
};

template <> struct EnumNames<ReplicaState> {
  static constexpr std::array<std::string_view, 8> names{
      "current", "absent", "changed", "link", "incomplete", "problem", "excluded", "left_alone"};
};

struct ReplicaStatus {
  std::string path;
  ReplicaState state = ReplicaState::current;
  std::string hash = {};
  std::string reason = {};

  static void describe(auto& f) {
    f.required(&ReplicaStatus::path, "path", "The copy's folder.");
    f.required(&ReplicaStatus::state, "state", "How it stands against what was last agreed.");
    f.optional(&ReplicaStatus::hash, "hash", "Hash of its content.");
    f.optional(&ReplicaStatus::reason, "reason", "Why it waits or is left alone.");
  }
};

struct SkillSyncStatus {
  std::string skill;
  SkillSyncState state = SkillSyncState::in_sync;
  std::string hash = {};
  std::string reason = {};
  std::string scope = {};
  std::vector<ReplicaStatus> replicas = {};

  static void describe(auto& f) {
    f.required(&SkillSyncStatus::skill, "skill", "Name of the skill.");
    f.required(&SkillSyncStatus::state, "state", "Whether its copies agree, or what it waits for.");
    f.optional(&SkillSyncStatus::hash, "hash", "Hash of the last agreed content.");
    f.optional(&SkillSyncStatus::reason, "reason", "What it waits for.");
    f.optional(&SkillSyncStatus::scope, "scope", "`user`, or the path of the project.");
    f.required(&SkillSyncStatus::replicas, "replicas", "Its copies.");
  }
};

struct SyncStatusParams {
  std::string skill = {};
  bool check = false;

  static void describe(auto& f) {
    f.optional(&SyncStatusParams::skill, "skill", "Only this skill.");
    f.optional(&SyncStatusParams::check, "check", "End with 1 unless everything is in sync.");
  }
};

struct SyncStatusResult {
  bool enabled = false;
  SyncPolicy policy = SyncPolicy::cover;
  SyncState state = SyncState::off;
  std::vector<std::string> agents = {};
  std::vector<std::string> chosen = {};
  std::vector<std::string> without = {};
  std::vector<std::string> link = {};
  std::vector<std::string> exclude = {};
  std::vector<RootStatus> roots = {};
  std::vector<SkillSyncStatus> skills = {};
  std::int64_t conflicts = 0;
  std::int64_t held = 0;
  std::int64_t problems = 0;
  std::string reason = {};
  std::string hint = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&SyncStatusResult::enabled, "enabled", "Whether sync is switched on.");
    f.required(&SyncStatusResult::policy, "policy", "Where new copies go.");
    f.required(&SyncStatusResult::state, "state", "What the engine is doing.");
    f.required(&SyncStatusResult::agents, "agents", "Agents that take part.");
    f.optional(&SyncStatusResult::chosen,
               "chosen",
               "Agents that were named to take part; absent: every agent found does.");
    f.optional(&SyncStatusResult::without, "without", "Agents that were left out.");
    f.optional(&SyncStatusResult::link, "link", "Agents that get links instead of copies.");
    f.optional(&SyncStatusResult::exclude, "exclude", "What stays out of sync.");
    f.required(&SyncStatusResult::roots, "roots", "Folders that hold skills.");
    f.required(&SyncStatusResult::skills,
               "skills",
               "Every skill under sync, and those that are excluded from it.");
    f.required(&SyncStatusResult::conflicts, "conflicts", "Conflicts that wait for a person.");
    f.required(&SyncStatusResult::held, "held", "Deletions that wait for a person.");
    f.optional(&SyncStatusResult::problems, "problems", "Skills that are not in sync.");
    f.optional(&SyncStatusResult::reason, "reason", "Why sync is stopped.");
    f.optional(&SyncStatusResult::hint, "hint", "What to do about that.");
    f.optional(&SyncStatusResult::warnings, "warnings", "What keeps sync from its best.");
  }
};

enum class SyncAction { adopt, create, update, remove, merge, conflict, link, unlink, hold };

template <> struct EnumNames<SyncAction> {
  static constexpr std::array<std::string_view, 9> names{
      "adopt", "create", "update", "remove", "merge", "conflict", "link", "unlink", "hold"};
};

struct SyncStep {
  SyncAction action = SyncAction::adopt;
  std::string skill;
  std::string path = {};
  std::string from = {};
  std::string hash = {};
  std::string reason = {};

  static void describe(auto& f) {
    f.required(&SyncStep::action, "action", "What happens.");
    f.required(&SyncStep::skill, "skill", "To which skill.");
    f.optional(&SyncStep::path, "path", "Folder that is written.");
    f.optional(&SyncStep::from, "from", "Folder the content comes from.");
    f.optional(&SyncStep::hash, "hash", "Content afterwards.");
    f.optional(&SyncStep::reason, "reason", "Why.");
  }
};

struct SyncEnableParams {
  std::optional<SyncPolicy> policy = {};
  // A list that is given replaces the one before.
  std::optional<std::vector<std::string>> agents = {};
  std::optional<std::vector<std::string>> without = {};
  std::optional<std::vector<std::string>> link = {};
  std::optional<std::vector<std::string>> exclude = {};
  std::string project = {};
  bool accept = false;
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&SyncEnableParams::policy,
               "policy",
               "`cover` (fewest copies) or `mirror` (a copy for each agent).");
    f.optional(
        &SyncEnableParams::agents,
        "agent",
        "Only these take part, and none of them is left out by `without` any more; `all` (or "
        "an empty list), as unless told: every agent found.");
    f.optional(&SyncEnableParams::without,
               "without",
               "Agents that do not take part; `none` (or an empty list) leaves nobody out.");
    f.optional(&SyncEnableParams::link,
               "link",
               "Agents that get links instead of copies; `none` (or an empty list): nobody.");
    f.optional(
        &SyncEnableParams::exclude,
        "exclude",
        "`skill` or `agent:skill` that stays out of sync; `*` matches any text; `none` (or an "
        "empty list) lets every skill in.");
    f.optional(
        &SyncEnableParams::project,
        "project",
        "Sync the skills of this project instead of the user's. The other choices are for all "
        "that is under sync, and change with it only while nothing else is.");
    f.optional(
        &SyncEnableParams::accept, "accept", "Let halted roots take part again as they are now.");
    f.optional(&SyncEnableParams::dry_run, "dry_run", "Only show the plan.");
  }
};

// A skill, or what looks like one, that sync leaves as it is.
struct LeftOut {
  std::string skill;
  std::string scope = {};
  std::string reason = {};

  static void describe(auto& f) {
    f.required(&LeftOut::skill, "skill", "Name of its folder.");
    f.optional(&LeftOut::scope, "scope", "`user`, or the path of the project.");
    f.required(&LeftOut::reason, "reason", "Why it is not synchronised, or not from everywhere.");
  }
};

struct SyncPlanResult {
  bool enabled = false;
  SyncPolicy policy = SyncPolicy::cover;
  std::vector<std::string> agents = {};
  std::vector<RootStatus> roots = {};
  std::vector<SyncStep> steps = {};
  std::int64_t in_sync = 0;
  std::vector<LeftOut> left_out = {};

  static void describe(auto& f) {
    f.required(&SyncPlanResult::enabled, "enabled", "Whether sync is switched on now.");
    f.required(&SyncPlanResult::policy, "policy", "Where new copies go.");
    f.required(&SyncPlanResult::agents, "agents", "Agents that take part.");
    f.required(&SyncPlanResult::roots, "roots", "Folders that hold skills.");
    f.required(&SyncPlanResult::steps, "steps", "What was or would be done, in order.");
    f.required(&SyncPlanResult::in_sync, "in_sync", "Skills that need nothing.");
    f.optional(&SyncPlanResult::left_out, "left_out", "Skills that are not synchronised, and why.");
  }
};

struct SyncDisableParams {
  std::string project = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&SyncDisableParams::project, "project", "Only this project.");
    f.optional(&SyncDisableParams::dry_run, "dry_run", "Only say what would happen.");
  }
};

struct SyncNowParams {
  std::string skill = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&SyncNowParams::skill, "skill", "Only this skill.");
    f.optional(&SyncNowParams::dry_run, "dry_run", "Only show what would be done.");
  }
};

struct SyncNowResult {
  std::vector<SyncStep> steps = {};
  std::optional<std::int64_t> more_steps = {};
  std::int64_t conflicts = 0;
  std::int64_t held = 0;
  std::vector<std::int64_t> settled = {};
  std::vector<std::int64_t> opened = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&SyncNowResult::steps, "steps", "What was done.");
    f.optional(&SyncNowResult::more_steps,
               "more_steps",
               "How many more there were; `upskill sync log` has them.");
    f.required(&SyncNowResult::conflicts, "conflicts", "Conflicts that wait for a person.");
    f.required(&SyncNowResult::held, "held", "Deletions that wait for a person.");
    f.optional(&SyncNowResult::settled,
               "settled",
               "Ids of conflicts and held deletions that wait no more, of `resolve` and `undo`.");
    f.optional(&SyncNowResult::opened, "opened", "The same of those that wait since.");
    f.optional(&SyncNowResult::warnings, "warnings", "What could not be done, and why.");
  }
};

struct SyncLogParams {
  std::string skill = {};
  std::int64_t limit = 50;

  static void describe(auto& f) {
    f.optional(&SyncLogParams::skill, "skill", "Only this skill.");
    f.optional(
        &SyncLogParams::limit, "limit", "At most this many entries, newest first; 50 unless told.");
  }
};

// One change of one skill, everywhere it was written: what `sync undo` takes back.
struct HistoryEntry {
  std::int64_t id = 0;
  std::string time;
  SyncAction action = SyncAction::update;
  std::string skill;
  std::string from = {};
  std::vector<std::string> paths = {};
  std::string before = {};
  std::string after = {};
  bool undone = false;
  std::string reason = {};

  static void describe(auto& f) {
    f.required(&HistoryEntry::id, "id", "For `sync undo`.");
    f.required(&HistoryEntry::time, "time", "When, RFC 3339 in UTC.");
    f.required(&HistoryEntry::action, "action", "What was done.");
    f.required(&HistoryEntry::skill, "skill", "To which skill.");
    f.optional(&HistoryEntry::from, "from", "The copy that started it.");
    f.optional(&HistoryEntry::paths, "paths", "The folders that were written.");
    f.optional(&HistoryEntry::before, "before", "Hash of the content before; absent for none.");
    f.optional(&HistoryEntry::after, "after", "Hash of the content after; absent for none.");
    f.optional(&HistoryEntry::undone, "undone", "True when it was taken back.");
    f.optional(&HistoryEntry::reason, "reason", "Why it was done.");
  }
};

struct SyncLogResult {
  std::vector<HistoryEntry> entries = {};
  bool more = false;

  static void describe(auto& f) {
    f.required(&SyncLogResult::entries, "entries", "Newest first.");
    f.optional(&SyncLogResult::more, "more", "True when there are older ones.");
  }
};

struct SyncUndoParams {
  std::optional<std::int64_t> id = {};
  bool force = false;
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&SyncUndoParams::id,
               "id",
               "Entry of `sync log`, also an undo; the newest that is in force unless told.");
    f.optional(&SyncUndoParams::force, "force", "Also when the skill was changed since.");
    f.optional(&SyncUndoParams::dry_run, "dry_run", "Only show what would be done.");
  }
};

struct ConflictVersion {
  std::string hash;
  std::string path = {};
  bool winner = false;
  bool edited = false;
  std::string before = {};
  std::string stored = {};
  std::optional<std::string> text = {};
  std::vector<std::string> differs = {};
  std::int64_t more_differ = 0;
  std::string diff = {};

  static void describe(auto& f) {
    f.required(&ConflictVersion::hash, "hash", "Hash of this version's content.");
    f.optional(&ConflictVersion::path, "path", "The folder it was found in.");
    f.required(&ConflictVersion::winner, "winner", "True for the version the copies hold now.");
    f.optional(
        &ConflictVersion::edited, "edited", "True for a winner that was edited since it won.");
    f.optional(&ConflictVersion::before, "before", "Hash of an edited winner as it won.");
    f.optional(&ConflictVersion::stored, "stored", "Folder where the whole version is kept.");
    f.optional(&ConflictVersion::text, "text", "Its SKILL.md, unless that is large.");
    f.optional(&ConflictVersion::differs,
               "differs",
               "Paths in it that are not as in the winner, SKILL.md first; not all of many.");
    f.optional(&ConflictVersion::more_differ, "more_differ", "How many such paths are left out.");
    f.optional(&ConflictVersion::diff,
               "diff",
               "What it changes in the first of these against the winner, unless large.");
  }
};

enum class ConflictKind { content, deletion };

template <> struct EnumNames<ConflictKind> {
  static constexpr std::array<std::string_view, 2> names{"content", "deletion"};
};

struct Conflict {
  std::int64_t id = 0;
  ConflictKind kind = ConflictKind::content;
  std::string skill;
  std::string scope = {};
  std::string time;
  std::string reason = {};
  std::vector<ConflictVersion> versions = {};

  static void describe(auto& f) {
    f.required(&Conflict::id, "id", "Names the conflict.");
    f.required(
        &Conflict::kind, "kind", "`content`: copies differ; `deletion`: held until confirmed.");
    f.required(&Conflict::skill, "skill", "Name of the skill.");
    f.optional(&Conflict::scope, "scope", "`user`, or the path of the project.");
    f.required(&Conflict::time, "time", "Since when, RFC 3339 in UTC.");
    f.optional(&Conflict::reason, "reason", "How it came about.");
    f.required(&Conflict::versions, "versions", "The winner and the losers.");
  }
};

struct SyncConflictsParams {
  std::string skill = {};

  static void describe(auto& f) {
    f.optional(&SyncConflictsParams::skill, "skill", "Only this skill.");
  }
};

struct SyncConflictsResult {
  std::vector<Conflict> conflicts = {};
  std::optional<std::int64_t> more = {};

  static void describe(auto& f) {
    f.required(&SyncConflictsResult::conflicts, "conflicts", "Oldest first.");
    f.optional(&SyncConflictsResult::more, "more", "How many are left out; name a `skill`.");
  }
};

struct ConflictResolveParams {
  std::string skill;
  std::string take = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&ConflictResolveParams::skill, "skill", "Name of the skill, or a conflict's id.");
    f.optional(
        &ConflictResolveParams::take,
        "take",
        "Hash or path (of the copy, or of where it is kept) of the version to keep everywhere; "
        "`winner` keeps what is there, `loser` the only other one; for a held deletion `delete` or "
        "`restore`.");
    f.optional(&ConflictResolveParams::dry_run, "dry_run", "Only show what would be done.");
  }
};

struct SkillSyncParams {
  std::string skill = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&SkillSyncParams::skill, "skill", "Only this skill.");
    f.optional(&SkillSyncParams::dry_run, "dry_run", "Only show what would be done.");
  }
};

} // namespace upskill
