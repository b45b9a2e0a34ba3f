#pragma once
#include "protocol/types/danger.h"
#include "protocol/types/describe.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill {

enum class TakeSide { merge, theirs, mine };

template <> struct EnumNames<TakeSide> {
  static constexpr std::array<std::string_view, 3> names{"merge", "theirs", "mine"};
};

struct UpdateParams {
  std::vector<std::string> skill = {};
  std::string scope = {};
  std::string project = {};
  bool check = false;
  TakeSide take = TakeSide::merge;
  std::vector<std::string> allow = {};
  std::string plan = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.optional(&UpdateParams::skill, "skill", "Only these; else all.");
    f.for_people(&UpdateParams::scope, "scope", "`user`, `project`, or empty for both.");
    f.optional(&UpdateParams::project, "project", "The project's folder; the caller's.");
    f.for_people(&UpdateParams::check, "check", "Only tell; exit code 1 where something is new.");
    f.for_people(&UpdateParams::take,
                 "take",
                 "Where you and the source changed it: `merge`, `theirs` or `mine`.");
    f.for_people(&UpdateParams::allow,
                 "allow",
                 "`NAME@HASH`: take the version although it was found dangerous.");
    f.for_people(&UpdateParams::plan, "plan", "Of a dry run: take what that has fetched.");
    f.optional(&UpdateParams::dry_run, "dry_run", "Only tell what is new.");
  }
};

enum class UpdateState {
  current,   // nothing is new at the source
  edited,    // nothing is new, and it was edited here: it stays
  available, // of `--check`, `outdated` and a dry run: there is a new version
  updated,   // the new version is in place
  merged,    // so it is, with what was edited here
  conflict,  // both changed the same: what is here stays, the other one waits in a conflict
  dangerous, // the new version was found dangerous, and nobody allowed it
  gone,      // the source does not have it any more: it stays
  missing,   // it is not here any more
  failed     // its source could not be reached or read
};

template <> struct EnumNames<UpdateState> {
  static constexpr std::array<std::string_view, 10> names{"current",
                                                          "edited",
                                                          "available",
                                                          "updated",
                                                          "merged",
                                                          "conflict",
                                                          "dangerous",
                                                          "gone",
                                                          "missing",
                                                          "failed"};
};

struct UpdatedSkill {
  std::string skill;
  std::string scope = {};
  UpdateState state = UpdateState::current;
  std::string source = {};
  std::string ref = {};
  std::string commit = {};
  std::string before = {};
  std::string after = {};
  bool edited = false;
  std::vector<std::string> changed = {};
  std::string diff = {};
  std::vector<DangerGain> gains = {};
  DangerSeverity danger = DangerSeverity::none;
  std::vector<DangerFinding> findings = {};
  std::optional<std::int64_t> conflict = {};
  std::vector<std::string> paths = {};
  std::string reason = {};
  std::string hint = {};

  static void describe(auto& f) {
    f.required(&UpdatedSkill::skill, "skill", "The skill.");
    f.optional(&UpdatedSkill::scope, "scope", "`user`, or the project's folder.");
    f.required(&UpdatedSkill::state, "state", "What became of it.");
    f.optional(&UpdatedSkill::source, "source", "Where it came from.");
    f.optional(&UpdatedSkill::ref, "ref", "The branch or tag.");
    f.optional(&UpdatedSkill::commit, "commit", "What the source is at.");
    f.optional(&UpdatedSkill::before, "before", "Hash of what was here.");
    f.optional(&UpdatedSkill::after, "after", "Hash of the source's version.");
    f.optional(&UpdatedSkill::edited, "edited", "It was edited here since it was installed.");
    f.optional(&UpdatedSkill::changed, "changed", "Files that the source changed.");
    f.optional(&UpdatedSkill::diff, "diff", "What the source changed, as a unified diff.");
    f.optional(&UpdatedSkill::gains, "gains", "What the new version may do besides.");
    f.optional(&UpdatedSkill::danger, "danger", "The worst finding in the new version.");
    f.optional(&UpdatedSkill::findings, "findings", "What is dangerous in the new version.");
    f.optional(&UpdatedSkill::conflict, "conflict", "Number of the conflict.");
    f.optional(&UpdatedSkill::paths, "paths", "Folders that were written.");
    f.optional(&UpdatedSkill::reason, "reason", "Why it is so.");
    f.optional(&UpdatedSkill::hint, "hint", "What to do.");
  }
};

struct UpdateResult {
  std::vector<UpdatedSkill> skills = {};
  std::int64_t current = 0;
  bool any_new = false;
  std::string plan = {};
  bool dry_run = false;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(
        &UpdateResult::skills, "skills", "By name; of those that are current only the named ones.");
    f.required(&UpdateResult::current, "current", "How many had nothing new.");
    f.optional(&UpdateResult::any_new, "any_new", "Whether a source has something new.");
    f.optional(&UpdateResult::plan, "plan", "Of a dry run: names what was fetched.");
    f.optional(&UpdateResult::dry_run, "dry_run", "True when nothing was changed.");
    f.optional(&UpdateResult::warnings, "warnings", "What somebody should know.");
  }
};

struct OutdatedParams {
  std::vector<std::string> skill = {};
  std::string scope = {};
  std::string project = {};

  static void describe(auto& f) {
    f.optional(&OutdatedParams::skill, "skill", "Only these; else all.");
    f.optional(&OutdatedParams::scope, "scope", "`user`, `project`, or empty for both.");
    f.optional(&OutdatedParams::project, "project", "The project's folder; the caller's.");
  }
};

struct RemoveParams {
  std::vector<std::string> skill;
  std::vector<std::string> agent = {};
  std::string scope = {};
  std::string project = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&RemoveParams::skill, "skill", "What to remove.");
    f.for_people(&RemoveParams::agent, "agent", "Only from these agents; the others keep it.");
    f.for_people(&RemoveParams::scope, "scope", "`user`, unless told, or `project`.");
    f.optional(&RemoveParams::project, "project", "The project's folder; the caller's.");
    f.for_people(&RemoveParams::dry_run, "dry_run", "Tell what would go; remove nothing.");
  }
};

struct RemovedSkill {
  std::string skill;
  std::string scope = {};
  std::string hash = {};
  std::vector<std::string> paths = {};
  std::vector<std::string> kept = {};
  std::vector<std::string> written = {};
  std::string reason = {};

  static void describe(auto& f) {
    f.required(&RemovedSkill::skill, "skill", "The skill.");
    f.optional(&RemovedSkill::scope, "scope", "`user`, or the project's folder.");
    f.optional(&RemovedSkill::hash, "hash", "Of the version that went.");
    f.required(&RemovedSkill::paths, "paths", "Folders and links that went.");
    f.optional(&RemovedSkill::kept, "kept", "Copies that stay.");
    f.optional(&RemovedSkill::written,
               "written",
               "Copies that were made, so that the other agents go on seeing it.");
    f.optional(&RemovedSkill::reason, "reason", "Why some stay.");
  }
};

struct RemoveResult {
  std::vector<RemovedSkill> skills = {};
  bool dry_run = false;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&RemoveResult::skills, "skills", "As they were named.");
    f.optional(&RemoveResult::dry_run, "dry_run", "True when nothing was changed.");
    f.optional(&RemoveResult::warnings, "warnings", "What somebody should know.");
  }
};

struct RollbackParams {
  std::string skill;
  std::string version = {};
  std::string scope = {};
  std::string project = {};
  bool list = false;
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&RollbackParams::skill, "skill", "The skill.");
    f.optional(&RollbackParams::version,
               "version",
               "Its number or the beginning of its hash; the version before this one.");
    f.optional(&RollbackParams::scope, "scope", "`user`, unless told, or `project`.");
    f.optional(&RollbackParams::project, "project", "The project's folder; the caller's.");
    f.optional(&RollbackParams::list, "list", "Show its versions; change nothing.");
    f.optional(&RollbackParams::dry_run, "dry_run", "Tell what would change; change nothing.");
  }
};

struct SkillVersion {
  std::int64_t number = 0;
  std::string hash;
  std::string time = {};
  std::string reason = {};
  bool current = false;
  bool installed = false;

  static void describe(auto& f) {
    f.required(&SkillVersion::number, "number", "1 is the oldest that is known.");
    f.required(&SkillVersion::hash, "hash", "Of its content.");
    f.optional(&SkillVersion::time, "time", "When it came to be here (RFC 3339, UTC).");
    f.optional(&SkillVersion::reason, "reason", "What brought it here.");
    f.optional(&SkillVersion::current, "current", "It is in place.");
    f.optional(&SkillVersion::installed, "installed", "It is what its source had.");
  }
};

struct RollbackResult {
  std::string skill;
  std::string scope = {};
  std::string before = {};
  std::string after = {};
  std::vector<std::string> paths = {};
  std::vector<SkillVersion> versions = {};
  std::string diff = {};
  bool dry_run = false;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&RollbackResult::skill, "skill", "The skill.");
    f.optional(&RollbackResult::scope, "scope", "`user`, or the project's folder.");
    f.optional(&RollbackResult::before, "before", "Hash of the version that was in place.");
    f.optional(&RollbackResult::after, "after", "Hash of the version that is.");
    f.optional(&RollbackResult::paths, "paths", "Folders that were written.");
    f.optional(&RollbackResult::versions, "versions", "The newest first.");
    f.optional(&RollbackResult::diff, "diff", "What changes, as a unified diff.");
    f.optional(&RollbackResult::dry_run, "dry_run", "True when nothing was changed.");
    f.optional(&RollbackResult::warnings, "warnings", "What somebody should know.");
  }
};

} // namespace upskill
