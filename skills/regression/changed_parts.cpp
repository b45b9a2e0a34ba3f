#include "skills/regression/changed_parts.h"

#include "skills/document/document.h"
#include "skills/document/yaml_json.h"
#include "skills/regression/changed_cases.h"
#include "skills/regression/settings_file.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace upskill::regression {
namespace {

using Paths = std::set<std::string, std::less<>>;

constexpr std::array<std::string_view, 9> k_parts{"name",
                                                  "description",
                                                  "front matter",
                                                  "body",
                                                  "scripts",
                                                  "references",
                                                  "assets",
                                                  "cases",
                                                  "watch file"};
constexpr std::string_view k_tests = "evals/";

constexpr std::string_view k_document = "SKILL.md";

// What SKILL.md is called in a version: `skill.md` only where there is no other.
std::string_view document_of(std::span<const ListedFile> files) {
  return std::ranges::find(files, k_document, &ListedFile::path) != files.end() ? k_document
                                                                                : "skill.md";
}

bool is_case_file(std::string_view path) {
  return std::ranges::any_of(std::array{eval::CaseUse::answers, eval::CaseUse::triggers},
                             [&](eval::CaseUse use) {
                               std::span<const std::string_view> files = eval::case_files(use);
                               return std::ranges::find(files, path) != files.end();
                             });
}

// Nothing of what only people look at.
std::optional<SkillPart> part_of(std::string_view path, const Paths& needed_by_cases) {
  if (path == k_watch_file) {
    return SkillPart::watch_file;
  }
  if (is_case_file(path)) {
    return SkillPart::cases;
  }
  if (path.starts_with(k_tests)) {
    return needed_by_cases.contains(path) ? std::optional(SkillPart::cases) : std::nullopt;
  }
  if (path.starts_with("scripts/")) {
    return SkillPart::scripts;
  }
  return path.starts_with("references/") ? SkillPart::references : SkillPart::assets;
}

// Those that differ, in the order of their paths; SKILL.md is compared by its parts.
std::vector<ChangedFile> compare_files(std::span<const ListedFile> before,
                                       std::span<const ListedFile> after) {
  std::vector<ChangedFile> changed;
  std::string_view old_document = document_of(before);
  std::string_view new_document = document_of(after);
  auto add = [&](const ListedFile& file, FileChange change) {
    if (file.path != (change == FileChange::removed ? old_document : new_document)) {
      changed.push_back({file.path, SkillPart::assets, change});
    }
  };
  auto old = before.begin();
  auto now = after.begin();
  while (old != before.end() || now != after.end()) {
    if (now == after.end() || (old != before.end() && old->path < now->path)) {
      add(*old++, FileChange::removed);
    } else if (old == before.end() || now->path < old->path) {
      add(*now++, FileChange::added);
    } else {
      if (*old != *now) {
        add(*now, FileChange::changed);
      }
      ++old;
      ++now;
    }
  }
  return changed;
}

// As a text editor shows it, but for empty lines at the end.
std::string plain_lines(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\r' || at + 1 == text.size() || text[at + 1] != '\n') {
      plain += text[at];
    }
  }
  plain.erase(plain.find_last_not_of("\r\n") + 1); // npos + 1 is the beginning
  return plain;
}

// The fields but those that have a part of their own, each as JSON, so that only what a reader of
// YAML tells apart differs.
std::map<std::string, std::string> other_fields(const document::Document& document) {
  std::map<std::string, std::string> fields;
  for (const document::YamlMember& member : document.front_matter.members) {
    if (member.key != "name" && member.key != "description") {
      fields.emplace(member.key, document::to_json(member.value, document::Typing::core));
    }
  }
  return fields;
}

bool same_other_fields(const document::Document& before, const document::Document& after) {
  if (before.front_matter.is_mapping() && after.front_matter.is_mapping()) {
    return other_fields(before) == other_fields(after);
  }
  // One that cannot be read as YAML is text.
  return plain_lines(before.parts.yaml) == plain_lines(after.parts.yaml);
}

std::vector<SkillPart> changed_in_document(std::string_view before, std::string_view after) {
  if (before == after) {
    return {};
  }
  document::Document old = document::read_document(before);
  document::Document now = document::read_document(after);
  std::vector<SkillPart> parts;
  if (old.name != now.name) {
    parts.push_back(SkillPart::name);
  }
  if (old.description != now.description) {
    parts.push_back(SkillPart::description);
  }
  if (!same_other_fields(old, now)) {
    parts.push_back(SkillPart::front_matter);
  }
  if (plain_lines(old.parts.body) != plain_lines(now.parts.body)) {
    parts.push_back(SkillPart::body);
  }
  return parts;
}

void take_case(const ChangedCase& one, NeededCases& needed) {
  if (one.change == CaseChange::removed) {
    return;
  }
  if (!needed.all) {
    needed.ids.push_back(one.id);
  }
  if (one.change != CaseChange::graded) {
    needed.never_asked.push_back(one.id);
  }
}

} // namespace

std::string_view part_word(SkillPart part) {
  return k_parts[static_cast<std::size_t>(part)];
}

bool ChangedParts::has(SkillPart part) const {
  return std::ranges::find(parts, part) != parts.end();
}

ChangedParts changed_parts(const VersionView& before, const VersionView& after) {
  ChangedParts changed;
  std::vector<ChangedFile> files = compare_files(before.files, after.files);
  Paths needed;
  if (!files.empty()) {
    Paths paths;
    for (const ChangedFile& file : files) {
      paths.insert(file.path);
    }
    compare_cases(before, after, paths, needed, changed);
  }
  std::vector<SkillPart> in_document = changed_in_document(before.document, after.document);
  std::set<SkillPart> parts(in_document.begin(), in_document.end());
  for (ChangedFile& file : files) {
    if (std::optional<SkillPart> part = part_of(file.path, needed)) {
      file.part = *part;
      parts.insert(*part);
      changed.files.push_back(std::move(file));
    }
  }
  changed.parts.assign(parts.begin(), parts.end());
  return changed;
}

NeededTests needed_tests(const ChangedParts& changed) {
  NeededTests tests;
  for (SkillPart part : changed.parts) {
    switch (part) {
    case SkillPart::name:
    case SkillPart::description:
      tests.trigger.all = true;
      break;
    case SkillPart::front_matter:
    case SkillPart::body:
    case SkillPart::scripts:
    case SkillPart::references:
    case SkillPart::assets:
      tests.answers.all = true;
      break;
    case SkillPart::cases: // one by one, below
    case SkillPart::watch_file:
      break;
    }
  }
  for (const ChangedCase& one : changed.cases) {
    take_case(one, one.use == eval::CaseUse::triggers ? tests.trigger : tests.answers);
  }
  return tests;
}

} // namespace upskill::regression
