#pragma once
#include "protocol/types/describe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace upskill {

enum class Scope { user, project };

template <> struct EnumNames<Scope> {
  static constexpr std::array<std::string_view, 2> names{"user", "project"};
};

// How one agent takes a SKILL.md (skills facts, section 5).
enum class LoaderVerdict { valid, repaired, skipped };

template <> struct EnumNames<LoaderVerdict> {
  static constexpr std::array<std::string_view, 3> names{"valid", "repaired", "skipped"};
};

struct LoaderReport {
  std::string loader;
  LoaderVerdict verdict = LoaderVerdict::valid;
  std::string reason = {};

  static void describe(auto& f) {
    f.required(&LoaderReport::loader, "loader", "Program whose loader this is.");
    f.required(&LoaderReport::verdict, "verdict", "What that loader does with the file.");
    f.optional(&LoaderReport::reason, "reason", "Why it repairs or skips it.");
  }
};

// Where one copy of a skill lies.
struct ReplicaPlace {
  std::string path;
  Scope scope = Scope::user;
  std::string hash = {};
  bool link = false;
  std::vector<std::string> agents = {};

  static void describe(auto& f) {
    f.required(&ReplicaPlace::path, "path", "The skill's folder.");
    f.required(&ReplicaPlace::scope, "scope", "User or project.");
    f.optional(&ReplicaPlace::hash, "hash", "Hash of the copy's content.");
    f.optional(&ReplicaPlace::link, "link", "True for a link to another copy.");
    f.optional(&ReplicaPlace::agents, "agents", "Agents that read it there.");
  }
};

enum class SkillSyncState { in_sync, pending, held, conflict, problem, excluded };

template <> struct EnumNames<SkillSyncState> {
  static constexpr std::array<std::string_view, 6> names{
      "in_sync", "pending", "held", "conflict", "problem", "excluded"};
};

struct SkillSummary {
  std::string skill;
  std::string scope = {};
  std::string description = {};
  std::string hash = {};
  std::int64_t tokens = 0;
  std::vector<std::string> agents = {};
  std::vector<ReplicaPlace> replicas = {};
  bool in_sync = true;
  std::optional<SkillSyncState> state = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&SkillSummary::skill, "skill", "Name: the skill's folder.");
    f.optional(&SkillSummary::scope, "scope", "`user`, or the path of the project.");
    f.required(&SkillSummary::description,
               "description",
               "From the front matter; what is cut ends in `…`, and skill_read has it whole.");
    f.optional(
        &SkillSummary::hash, "hash", "Hash of the newest copy's content; agents are not told.");
    f.required(&SkillSummary::tokens, "tokens", "Estimated tokens of SKILL.md.");
    f.required(&SkillSummary::agents, "agents", "Agents that see the skill.");
    f.required(&SkillSummary::replicas, "replicas", "Every copy.");
    f.required(&SkillSummary::in_sync, "in_sync", "True when all copies hold the same.");
    f.optional(&SkillSummary::state,
               "state",
               "`conflict`, `held` or `problem`: it waits for a person; `excluded`: sync leaves it "
               "alone.");
    f.optional(&SkillSummary::warnings, "warnings", "What is wrong with it.");
  }
};

struct SkillListParams {
  std::string query = {};
  std::string agent = {};
  std::string scope = {};
  bool replicas = false;
  std::int64_t limit = 50;
  std::string cursor = {};

  static void describe(auto& f) {
    f.optional(
        &SkillListParams::query, "query", "Only skills whose name or description has these words.");
    f.optional(&SkillListParams::agent, "agent", "Only skills that this agent sees.");
    f.optional(&SkillListParams::scope, "scope", "`user`, `project` or empty for both.");
    f.optional(&SkillListParams::replicas, "replicas", "Also list every copy.");
    f.optional(
        &SkillListParams::limit, "limit", "At most this many, 50 unless told, 1000 at most.");
    f.optional(&SkillListParams::cursor, "cursor", "Where the last page ended.");
  }
};

struct SkillListResult {
  std::vector<SkillSummary> skills;
  std::int64_t total = 0;
  std::string next_cursor = {};
  std::vector<std::string> warnings = {};
  std::vector<std::string> left_out = {};

  static void describe(auto& f) {
    f.required(&SkillListResult::skills, "skills", "By name.");
    f.required(&SkillListResult::total, "total", "How many match in all.");
    f.optional(&SkillListResult::next_cursor, "next_cursor", "Give as `cursor` for the next page.");
    f.optional(&SkillListResult::warnings, "warnings", "What keeps the copies from agreeing.");
    f.optional(&SkillListResult::left_out,
               "left_out",
               "Agents found here that take no part: what only they see is not listed.");
  }
};

struct SkillReadParams {
  std::string skill;
  std::string file = {};
  std::int64_t offset = 0;
  std::int64_t limit = 20'000;
  std::string files_after = {};

  static void describe(auto& f) {
    f.required(&SkillReadParams::skill, "skill", "Name of the skill, or the path of its folder.");
    f.optional(&SkillReadParams::file, "file", "File inside the skill; SKILL.md unless told.");
    f.optional(&SkillReadParams::offset, "offset", "Byte to start at.");
    f.optional(&SkillReadParams::limit, "limit", "At most this many bytes, 20000 unless told.");
    f.optional(&SkillReadParams::files_after,
               "files_after",
               "No text: only the list of files, after this one.");
  }
};

struct SkillFile {
  std::string path;
  std::int64_t size = 0;
  bool executable = false;

  static void describe(auto& f) {
    f.required(&SkillFile::path, "path", "Relative to the skill's folder.");
    f.required(&SkillFile::size, "size", "Bytes.");
    f.optional(&SkillFile::executable, "executable", "Has the executable bit.");
  }
};

struct SkillReadResult {
  std::string skill;
  std::string file;
  std::string text;
  std::int64_t size = 0;
  std::optional<std::int64_t> next_offset = {};
  std::string folder = {};
  std::vector<SkillFile> files = {};
  std::optional<std::int64_t> more_files = {};

  static void describe(auto& f) {
    f.required(&SkillReadResult::skill, "skill", "Name of the skill.");
    f.required(&SkillReadResult::file, "file", "The file that was read.");
    f.required(&SkillReadResult::text, "text", "Its text; bytes that are not UTF-8 become U+FFFD.");
    f.required(&SkillReadResult::size, "size", "Bytes of the whole file.");
    f.optional(&SkillReadResult::next_offset, "next_offset", "Where to go on reading.");
    f.required(
        &SkillReadResult::folder, "folder", "Folder the skill lies in; run its scripts there.");
    f.optional(&SkillReadResult::files,
               "files",
               "Files of the skill, by path; with the first part of SKILL.md.");
    f.optional(&SkillReadResult::more_files,
               "more_files",
               "How many follow: give the last path as `files_after`.");
  }
};

struct SkillShowParams {
  std::string skill;

  static void describe(auto& f) {
    f.required(&SkillShowParams::skill, "skill", "Name of the skill, or the path of its folder.");
  }
};

struct SkillShowResult {
  SkillSummary summary;
  std::vector<SkillFile> files = {};
  std::vector<LoaderReport> loaders = {};
  std::vector<std::string> errors = {};
  std::string front_matter = {};
  std::string body = {};

  static void describe(auto& f) {
    f.required(&SkillShowResult::summary, "summary", "As in the list.");
    f.required(&SkillShowResult::files, "files", "Its files.");
    f.required(&SkillShowResult::loaders, "loaders", "What each loader does with it.");
    f.required(&SkillShowResult::errors, "errors", "What the specification's validator says.");
    f.required(
        &SkillShowResult::front_matter, "front_matter", "The YAML between the fences, as it is.");
    f.required(&SkillShowResult::body, "body", "What follows the front matter.");
  }
};

struct SkillValidateParams {
  std::vector<std::string> paths;

  static void describe(auto& f) {
    f.required(&SkillValidateParams::paths,
               "paths",
               "Skill folders, SKILL.md files, folders of skills, or names of skills.");
  }
};

struct SkillValidation {
  std::string skill;
  std::string path;
  bool valid = true;
  std::vector<std::string> errors = {};
  std::vector<std::string> warnings = {};
  std::vector<LoaderReport> loaders = {};
  std::int64_t tokens = 0;

  static void describe(auto& f) {
    f.required(&SkillValidation::skill, "skill", "Name of the folder.");
    f.required(&SkillValidation::path, "path", "The folder.");
    f.required(
        &SkillValidation::valid, "valid", "True when the specification's validator accepts it.");
    f.required(&SkillValidation::errors, "errors", "What it says, in its order and words.");
    f.required(&SkillValidation::warnings, "warnings", "What else is worth mending.");
    f.required(&SkillValidation::loaders, "loaders", "What each loader does with it.");
    f.required(&SkillValidation::tokens, "tokens", "Estimated tokens of SKILL.md.");
  }
};

struct SkillValidateResult {
  bool valid = true;
  std::vector<SkillValidation> skills = {};
  std::optional<std::int64_t> more = {};

  static void describe(auto& f) {
    f.required(&SkillValidateResult::valid, "valid", "True when every one is valid.");
    f.required(&SkillValidateResult::skills, "skills", "One entry for each skill found.");
    f.optional(&SkillValidateResult::more,
               "more",
               "How many are left out, those with findings last; name fewer `paths`.");
  }
};

} // namespace upskill
