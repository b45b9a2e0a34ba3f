#include "daemon/handlers/watch_tier_zero.h"

#include "daemon/handlers/skill_files.h"
#include "protocol/base/utf8.h"
#include "skills/danger/scan.h"
#include "skills/danger/widening.h"
#include "skills/document/inspect.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most = 20;             // sentences
constexpr std::size_t k_most_bytes = 8u << 20; // of all files that are scanned

// The files of a version as they are scanned, with what they hold.
struct ReadFiles {
  std::vector<std::string> texts = {}; // what `files` look at
  danger::SkillFiles files = {};
};

ReadFiles read_files(const SkillPlace& place, const WatchedVersion& version) {
  ReadFiles read;
  Result<UniqueFd> folder = open_skill(place);
  if (!folder) {
    return read;
  }
  read.texts.reserve(version.files.size()); // so that none of them moves
  std::size_t bytes = 0;
  for (const regression::ListedFile& file : version.files) {
    Result<FilePart> part = read_part(folder->get(), file.path, 0, danger::k_most_looked_at);
    if (part && bytes < k_most_bytes) {
      bytes += part->bytes.size();
      read.texts.push_back(std::move(part->bytes));
      read.files.push_back({file.path, read.texts.back(), file.executable});
    }
  }
  return read;
}

std::string place_words(const std::string& path, std::size_t line) {
  return line == 0 ? " (" + in_backticks(path) + ")"
                   : " (" + in_backticks(path) + " line " + std::to_string(line) + ")";
}

// Those that no honest skill needs keep it from being used.
void look_for_danger(const ReadFiles& read, TierZero& seen, std::vector<std::string>& warnings) {
  for (const danger::Finding& finding : danger::scan(read.files).findings) {
    if (finding.severity == danger::Severity::note) {
      continue;
    }
    std::string words = finding.message + place_words(finding.path, finding.line);
    (finding.severity == danger::Severity::severe ? seen.problems : warnings)
        .push_back(std::move(words));
  }
}

std::string_view kind_words(danger::CapabilityKind kind) {
  switch (kind) {
  case danger::CapabilityKind::hook:
    return "runs by itself, as a hook";
  case danger::CapabilityKind::load_command:
    return "runs when the skill is loaded";
  case danger::CapabilityKind::tool:
    return "may be used without asking";
  case danger::CapabilityKind::script:
    return "comes with it as a program";
  case danger::CapabilityKind::host:
    return "is an address that it names";
  case danger::CapabilityKind::command:
    break;
  }
  return "is a command that it has agents run";
}

// What acts by itself first.
void look_for_gains(const ReadFiles& read, const AcceptedRecord& accepted, TierZero& seen) {
  std::vector<danger::HeldCapability> held;
  for (const RecordedCapability& one : accepted.capabilities) {
    held.push_back({one.kind, one.what});
  }
  Result<danger::Widening> widened = danger::widening_of(held, read.files);
  if (!widened) {
    return; // a bug of ours, and the rules' own tests tell
  }
  std::ranges::sort(widened->gains, {}, [](const danger::Gain& gain) {
    return std::tie(gain.severity, gain.kind, gain.what);
  });
  for (const danger::Gain& gain : widened->gains) {
    seen.gains.push_back(in_backticks(gain.what) + " " + std::string(kind_words(gain.kind))
                         + place_words(gain.path, gain.line));
  }
}

void cut(std::vector<std::string>& sentences) {
  if (sentences.size() > k_most) {
    sentences.resize(k_most);
  }
}

} // namespace

TierZero
tier_zero(const SkillPlace& place, const WatchedVersion& version, const AcceptedRecord* accepted) {
  document::SkillFolder folder;
  folder.name = place.name;
  folder.files = version.files.size();
  folder.exists = [&](std::string_view path) {
    std::string below = std::string(path) + "/";
    return std::ranges::any_of(version.files, [&](const regression::ListedFile& file) {
      return file.path == path || file.path.starts_with(below);
    });
  };
  SkillValidation found = document::inspect(version.document, folder);
  TierZero seen;
  seen.problems = std::move(found.errors);
  std::vector<std::string> warnings = std::move(found.warnings);
  ReadFiles read = read_files(place, version);
  look_for_danger(read, seen, warnings);
  cut(seen.problems);
  seen.errors = seen.problems.size();
  std::ranges::move(warnings, std::back_inserter(seen.problems));
  cut(seen.problems);
  if (accepted != nullptr && accepted->has_capabilities) {
    look_for_gains(read, *accepted, seen);
    cut(seen.gains);
  }
  return seen;
}

void put_capabilities(AcceptedRecord& record,
                      const SkillPlace& place,
                      const WatchedVersion& version) {
  ReadFiles read = read_files(place, version);
  Result<std::vector<danger::HeldCapability>> held = danger::held_capabilities(read.files);
  record.has_capabilities = held.has_value();
  for (danger::HeldCapability& one : held ? *held : std::vector<danger::HeldCapability>()) {
    record.capabilities.push_back({one.kind, std::move(one.what)});
  }
}

} // namespace upskill::daemon
