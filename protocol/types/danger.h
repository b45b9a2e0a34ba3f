#pragma once
#include "protocol/types/describe.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill {

enum class DangerSeverity { none, note, warning, severe };

template <> struct EnumNames<DangerSeverity> {
  static constexpr std::array<std::string_view, 4> names{"none", "note", "warning", "severe"};
};

// One thing that is dangerous in a skill (skills/danger).
struct DangerFinding {
  std::string id;
  DangerSeverity severity = DangerSeverity::note;
  std::string path = {};
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string evidence = {};
  std::string message = {};
  std::string hint = {};

  static void describe(auto& f) {
    f.required(&DangerFinding::id, "id", "The check or rule.");
    f.required(&DangerFinding::severity, "severity", "`severe`, `warning` or `note`.");
    f.optional(&DangerFinding::path, "path", "The file, within the skill.");
    f.optional(&DangerFinding::line, "line", "From 1; 0: the file as a whole.");
    f.optional(&DangerFinding::column, "column", "In characters, from 1.");
    f.optional(&DangerFinding::evidence, "evidence", "What was found, quoted, without secrets.");
    f.optional(&DangerFinding::message, "message", "What it means.");
    f.optional(&DangerFinding::hint, "hint", "What to do.");
  }
};

// Something that a newer version may do and the older one might not.
struct DangerGain {
  std::string kind;
  std::string what = {};
  std::string path = {};
  std::int64_t line = 0;
  bool acts_unasked = false;

  static void describe(auto& f) {
    f.required(&DangerGain::kind,
               "kind",
               "`hook`, `load_command`, `tool`, `script`, `host` or `command`.");
    f.required(&DangerGain::what, "what", "What it is.");
    f.optional(&DangerGain::path, "path", "The file that says so.");
    f.optional(&DangerGain::line, "line", "From 1; 0: the file as a whole.");
    f.optional(&DangerGain::acts_unasked, "acts_unasked", "It acts without anybody being asked.");
  }
};

enum class ScanFormat { text, sarif };

template <> struct EnumNames<ScanFormat> {
  static constexpr std::array<std::string_view, 2> names{"text", "sarif"};
};

struct ScanParams {
  std::vector<std::string> path;
  ScanFormat format = ScanFormat::text;
  std::string output = {};
  std::vector<std::string> allow = {};

  static void describe(auto& f) {
    f.required(
        &ScanParams::path, "path", "A skill's name, a skill, a folder of skills, or an archive.");
    f.optional(&ScanParams::format, "format", "`text`, or `sarif` for GitHub and editors.");
    f.optional(&ScanParams::output, "output", "Write the SARIF report there.");
    f.optional(&ScanParams::allow, "allow", "`NAME@HASH`: do not fail because of it.");
  }
};

struct ScannedSkill {
  std::string skill;
  std::string path = {};
  std::string hash = {};
  DangerSeverity danger = DangerSeverity::none;
  bool allowed = false;
  std::vector<DangerFinding> findings = {};
  std::int64_t left_out = 0;
  std::string problem = {};

  static void describe(auto& f) {
    f.required(&ScannedSkill::skill, "skill", "The skill.");
    f.optional(&ScannedSkill::path, "path", "Its folder.");
    f.optional(&ScannedSkill::hash, "hash", "Of its content: what `--allow` names.");
    f.required(&ScannedSkill::danger, "danger", "The worst finding.");
    f.optional(&ScannedSkill::allowed, "allowed", "A person has allowed this version.");
    f.required(&ScannedSkill::findings, "findings", "The worst first.");
    f.optional(&ScannedSkill::left_out, "left_out", "Findings beyond the bounds, never worse.");
    f.optional(&ScannedSkill::problem, "problem", "Why it could not be read.");
  }
};

struct ScanResult {
  std::vector<ScannedSkill> skills = {};
  DangerSeverity danger = DangerSeverity::none;
  std::string sarif = {};
  std::string output = {};
  std::vector<std::string> warnings = {};

  static void describe(auto& f) {
    f.required(&ScanResult::skills, "skills", "The worst first, then by name.");
    f.required(&ScanResult::danger, "danger", "The worst of what is not allowed.");
    f.optional(&ScanResult::sarif, "sarif", "The report as SARIF 2.1.0.");
    f.optional(&ScanResult::output, "output", "Where the report was written.");
    f.optional(&ScanResult::warnings, "warnings", "What somebody should know.");
  }
};

} // namespace upskill
