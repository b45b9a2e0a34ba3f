#include "skills/regression/changed_cases.h"

#include <algorithm>
#include <map>
#include <utility>

namespace upskill::regression {
namespace {

using eval::Case;
using Paths = std::set<std::string, std::less<>>;

// None where the version has none of that use.
Result<std::vector<Case>> cases_of(const VersionView& version, eval::CaseUse use) {
  Result<eval::FoundCases> found = eval::find_cases(use, version.read);
  if (found) {
    return std::move(found->suite.cases);
  }
  if (found.error().code == ErrorCode::not_found) {
    return std::vector<Case>();
  }
  return fail(std::move(found).error());
}

bool asks_alike(const Case& a, const Case& b) {
  return a.input == b.input && a.context_files == b.context_files
         && a.fixture_files == b.fixture_files;
}

bool needs_one_of(const Case& one, const Paths& paths) {
  return std::ranges::any_of(one.fixture_files,
                             [&](const std::string& path) { return paths.contains(path); });
}

void note_needed(const std::vector<Case>& cases, const Paths& changed_files, Paths& needed) {
  for (const Case& one : cases) {
    for (const std::string& path : one.fixture_files) {
      if (changed_files.contains(path)) {
        needed.insert(path);
      }
    }
  }
}

void compare(const std::vector<Case>& before,
             const std::vector<Case>& after,
             eval::CaseUse use,
             const Paths& changed_files,
             std::vector<ChangedCase>& changed) {
  std::map<std::string_view, const Case*> earlier;
  for (const Case& one : before) {
    earlier.emplace(one.id, &one);
  }
  for (const Case& one : after) {
    auto at = earlier.find(one.id);
    if (at == earlier.end()) {
      changed.push_back({use, one.id, CaseChange::added});
      continue;
    }
    const Case& old = *at->second;
    earlier.erase(at);
    if (!asks_alike(old, one) || needs_one_of(one, changed_files)) {
      changed.push_back({use, one.id, CaseChange::asked});
    } else if (old != one) {
      changed.push_back({use, one.id, CaseChange::graded});
    }
  }
  for (const auto& [id, one] : earlier) {
    changed.push_back({use, std::string(id), CaseChange::removed});
  }
}

} // namespace

void compare_cases(const VersionView& before,
                   const VersionView& after,
                   const Paths& changed_files,
                   Paths& needed,
                   ChangedParts& changed) {
  for (eval::CaseUse use : {eval::CaseUse::answers, eval::CaseUse::triggers}) {
    Result<std::vector<Case>> newer = cases_of(after, use);
    if (!newer) {
      // One file may be of both uses.
      if (changed.problems.empty() || changed.problems.back() != newer.error()) {
        changed.problems.push_back(std::move(newer).error());
      }
      continue;
    }
    // What cannot be read has never been asked: all of the newer ones are new.
    std::vector<Case> older = cases_of(before, use).value_or(std::vector<Case>());
    note_needed(older, changed_files, needed);
    note_needed(*newer, changed_files, needed);
    compare(older, *newer, use, changed_files, changed.cases);
  }
}

} // namespace upskill::regression
