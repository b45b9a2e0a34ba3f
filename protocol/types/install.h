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

struct InstallParams {
  std::string source;
  std::vector<std::string> skill = {};
  bool all = false;
  std::vector<std::string> agent = {};
  std::string scope = {};
  std::string project = {};
  bool link = false;
  bool copy = false;
  std::string as = {};
  bool replace = false;
  std::vector<std::string> allow = {};
  bool full_depth = false;
  std::string plan = {};
  bool dry_run = false;

  static void describe(auto& f) {
    f.required(&InstallParams::source,
               "source",
               "`owner/repo[/folder][@skill][#ref]`, an address, a folder, an archive, "
               "or `mcp:URL`.");
    f.optional(&InstallParams::skill, "skill", "Only these; all of them where there is one.");
    f.for_people(&InstallParams::all, "all", "Every skill that the source has.");
    f.for_people(&InstallParams::agent, "agent", "For these agents only; all that are found.");
    f.for_people(&InstallParams::scope, "scope", "`user`, unless told, or `project`.");
    f.optional(&InstallParams::project, "project", "The project's folder; the caller's.");
    f.for_people(&InstallParams::link, "link", "One copy, and links to it for the other agents.");
    f.for_people(&InstallParams::copy, "copy", "Copies, also where links were chosen.");
    f.for_people(&InstallParams::as, "as", "Install one skill by another name.");
    f.for_people(&InstallParams::replace, "replace", "Take the place of a skill of the same name.");
    f.for_people(
        &InstallParams::allow, "allow", "`NAME@HASH`: install it although it was found dangerous.");
    f.for_people(&InstallParams::full_depth, "full_depth", "Also skills inside other skills.");
    f.for_people(&InstallParams::plan, "plan", "Of a dry run: install what that has fetched.");
    f.optional(&InstallParams::dry_run, "dry_run", "Only tell what would come.");
  }
};

enum class InstallState {
  installed, // it is there now; of a dry run: it would be
  unchanged, // it was there already
  updated,   // it was there in another version of the same source
  offered,   // the source has it; it was not chosen
  taken,     // another skill of that name is there: a person chooses
  dangerous, // nobody has allowed it
  invalid,   // no agent could use it, or it cannot lie there
  failed
};

template <> struct EnumNames<InstallState> {
  static constexpr std::array<std::string_view, 8> names{
      "installed", "unchanged", "updated", "offered", "taken", "dangerous", "invalid", "failed"};
};

// One skill of a source.
struct InstalledSkill {
  std::string skill;
  InstallState state = InstallState::offered;
  std::string description = {};
  std::string from = {};
  std::string hash = {};
  std::int64_t tokens = 0;
  std::int64_t files = 0;
  std::int64_t bytes = 0;
  DangerSeverity danger = DangerSeverity::none;
  std::vector<DangerFinding> findings = {};
  std::vector<std::string> paths = {};
  std::vector<std::string> agents = {};
  std::string reason = {};
  std::string hint = {};

  static void describe(auto& f) {
    f.required(&InstalledSkill::skill, "skill", "Its name here: the name of its folder.");
    f.required(&InstalledSkill::state, "state", "What became of it.");
    f.optional(&InstalledSkill::description, "description", "From its front matter.");
    f.optional(&InstalledSkill::from, "from", "Its folder within the source.");
    f.optional(&InstalledSkill::hash, "hash", "Of its content.");
    f.optional(&InstalledSkill::tokens, "tokens", "Estimated tokens of SKILL.md.");
    f.optional(&InstalledSkill::files, "files", "Files that it has.");
    f.optional(&InstalledSkill::bytes, "bytes", "Their bytes.");
    f.optional(&InstalledSkill::danger, "danger", "The worst finding.");
    f.optional(&InstalledSkill::findings, "findings", "What is dangerous in it, the worst first.");
    f.optional(&InstalledSkill::paths, "paths", "Folders that were written.");
    f.optional(&InstalledSkill::agents, "agents", "Agents that see it.");
    f.optional(&InstalledSkill::reason, "reason", "Why it is so.");
    f.optional(&InstalledSkill::hint, "hint", "What to do.");
  }
};

struct InstallResult {
  std::string source;
  std::string ref = {};
  std::string commit = {};
  std::string scope = {};
  std::vector<InstalledSkill> skills = {};
  bool choose = false;
  std::string plan = {};
  bool dry_run = false;
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&InstallResult::source, "source", "Where from, as `update` will know it.");
    f.optional(&InstallResult::ref, "ref", "The branch or tag.");
    f.optional(&InstallResult::commit, "commit", "What was fetched.");
    f.optional(&InstallResult::scope, "scope", "`user`, or the project's folder.");
    f.required(&InstallResult::skills, "skills", "By name.");
    f.optional(&InstallResult::choose,
               "choose",
               "The source has several, and none was named: nothing was installed.");
    f.optional(&InstallResult::plan, "plan", "Of a dry run: names what was fetched.");
    f.optional(&InstallResult::dry_run, "dry_run", "True when nothing was changed.");
    f.optional(&InstallResult::warnings, "warnings", "What somebody should know.");
  }
};

} // namespace upskill
