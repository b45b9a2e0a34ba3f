#include "daemon/install/version_answers.h"

#include "protocol/base/utf8.h"
#include "skills/sync/unified_diff.h"

#include <algorithm>
#include <set>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_changed = 200;
constexpr std::size_t k_most_diff = 64u << 10; // bytes

DangerSeverity severity_of(danger::Severity severity) {
  switch (severity) {
  case danger::Severity::severe:
    return DangerSeverity::severe;
  case danger::Severity::warning:
    return DangerSeverity::warning;
  case danger::Severity::note:
    break;
  }
  return DangerSeverity::note;
}

bool is_document(std::string_view path) {
  return path == "SKILL.md" || path == "skill.md";
}

const sync::NewFile* find(const sync::NewFiles& files, const std::string& path) {
  auto found = files.find(path);
  return found == files.end() ? nullptr : &found->second;
}

// The lines before a file's own difference: what no line of it tells.
std::string heading_of(const std::string& path, const sync::NewFile* a, const sync::NewFile* b) {
  std::string name = to_valid_utf8(path);
  if (b != nullptr && !b->target.empty()) {
    return name + " is a link to " + to_valid_utf8(b->target) + "\n";
  }
  if (a != nullptr && b != nullptr && a->is_program != b->is_program) {
    return name + (b->is_program ? " may be run now\n" : " may not be run any more\n");
  }
  return a != nullptr && b != nullptr && a->bytes != b->bytes || (a == nullptr) != (b == nullptr)
             ? std::string()
             : name + " has changed\n";
}

} // namespace

danger::SkillFiles scanned_files(const sync::NewFiles& files) {
  danger::SkillFiles scanned;
  scanned.reserve(files.size());
  for (const auto& [path, file] : files) {
    danger::SkillFile& one = scanned.emplace_back();
    one.path = path;
    one.bytes = file.bytes;
    one.is_program = file.is_program;
    if (!file.target.empty()) {
      one.link_target = file.target;
    }
  }
  return scanned;
}

DangerSeverity severity_of(const danger::DangerReport& report) {
  return report.findings.empty() ? DangerSeverity::none
                                 : severity_of(report.findings.front().severity);
}

std::vector<DangerFinding> findings_of(const danger::DangerReport& report) {
  std::vector<DangerFinding> findings;
  findings.reserve(report.findings.size());
  for (const danger::Finding& finding : report.findings) {
    findings.push_back({finding.id,
                        severity_of(finding.severity),
                        to_valid_utf8(finding.path),
                        static_cast<std::int64_t>(finding.line),
                        static_cast<std::int64_t>(finding.column),
                        finding.evidence,
                        finding.message,
                        finding.hint});
  }
  return findings;
}

std::vector<DangerGain> gains_of(const danger::Widening& widening) {
  std::vector<DangerGain> gains;
  for (const danger::Gain& gain : widening.gains) {
    gains.push_back({std::string(enum_name(gain.kind)),
                     to_valid_utf8(gain.what),
                     to_valid_utf8(gain.path),
                     static_cast<std::int64_t>(gain.line),
                     gain.severity == danger::Severity::warning});
  }
  return gains;
}

VersionDifference difference_of(const sync::NewFiles& before, const sync::NewFiles& after) {
  std::set<std::pair<bool, std::string>> paths; // the document first
  for (const sync::NewFiles* side : {&before, &after}) {
    for (const auto& [path, file] : *side) {
      const sync::NewFile* a = find(before, path);
      const sync::NewFile* b = find(after, path);
      if (a == nullptr || b == nullptr || *a != *b) {
        paths.emplace(!is_document(path), path);
      }
    }
  }
  VersionDifference difference;
  const std::string nothing;
  for (const auto& [is_other, path] : paths) {
    if (difference.changed.size() == k_most_changed) {
      break;
    }
    difference.changed.push_back(to_valid_utf8(path));
    std::size_t room = k_most_diff - std::min(k_most_diff, difference.diff.size());
    const sync::NewFile* a = find(before, path);
    const sync::NewFile* b = find(after, path);
    std::string text = heading_of(path, a, b)
                       + sync::unified_diff(a != nullptr ? a->bytes : nothing,
                                            b != nullptr ? b->bytes : nothing,
                                            "a/" + path,
                                            "b/" + path,
                                            3,
                                            room);
    if (text.size() <= room) {
      difference.diff += text;
    }
  }
  return difference;
}

} // namespace upskill::daemon
