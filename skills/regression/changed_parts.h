#pragma once
#include "protocol/base/hash.h"
#include "skills/eval/cases.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::regression {

// One file, or link, of a version; of a link `content` is the hash of where it leads.
struct ListedFile {
  std::string path = {}; // relative to the skill's folder
  Digest content = {};
  bool executable = false;

  friend bool operator==(const ListedFile&, const ListedFile&) = default;
};

// What is looked at of a version. Sorted by path, bytewise, each path once.
struct VersionView {
  std::span<const ListedFile> files = {};
  std::string_view document = {}; // SKILL.md
  eval::ReadFile read = {};       // its test files (eval::case_files); asked only where it must be
};

// What a version is made of, as far as it decides what is to be tested.
enum class SkillPart {
  name,
  description,
  front_matter, // all other fields
  body,
  scripts,    // `scripts/`
  references, // `references/`
  assets,     // `assets/`, and every other file that an agent may find
  cases,      // test files, and the files that their cases need
  watch_file  // `evals/watch.yaml`
};

std::string_view part_word(SkillPart part);

enum class FileChange { added, removed, changed };

struct ChangedFile {
  std::string path = {};
  SkillPart part = SkillPart::assets;
  FileChange change = FileChange::changed;

  friend bool operator==(const ChangedFile&, const ChangedFile&) = default;
};

enum class CaseChange {
  added,
  removed,
  asked, // what is put to a student is another
  graded // only what is said of answers
};

struct ChangedCase {
  eval::CaseUse use = eval::CaseUse::answers;
  std::string id = {};
  CaseChange change = CaseChange::asked;

  friend bool operator==(const ChangedCase&, const ChangedCase&) = default;
};

struct ChangedParts {
  std::vector<SkillPart> parts = {};   // distinct, in the order of the enum
  std::vector<ChangedFile> files = {}; // by path; without SKILL.md
  std::vector<ChangedCase> cases = {}; // answers before triggers, in the order of the newer file
  std::vector<Error> problems = {};    // of test files that cannot be read: nothing is known then

  bool has(SkillPart part) const;
};

// What became different from one version to a later one. What no agent and no student can notice is
// no change: a byte order mark, line ends and empty lines at the end of SKILL.md, how its front
// matter is quoted, indented, commented or sorted, its executable bit, and other files in `evals/`.
ChangedParts changed_parts(const VersionView& before, const VersionView& after);

// The cases that a change makes worth asking, of one use.
struct NeededCases {
  bool all = false; // else those of `ids` only
  std::vector<std::string> ids = {};
  // Those of all that are asked which the accepted version was never asked: new ones, and such that
  // ask something else. It has nothing to hold them against until it is asked, too, or accepted.
  std::vector<std::string> never_asked = {};

  bool none() const { return !all && ids.empty(); }

  friend bool operator==(const NeededCases&, const NeededCases&) = default;
};

struct NeededTests {
  NeededCases trigger = {};
  NeededCases answers = {}; // forced, and end to end

  bool none() const { return trigger.none() && answers.none(); }

  friend bool operator==(const NeededTests&, const NeededTests&) = default;
};

// A name and a description decide whether a skill is picked; everything else that an agent reads,
// what it does then. A case alone asks for itself.
NeededTests needed_tests(const ChangedParts& changed);

} // namespace upskill::regression
