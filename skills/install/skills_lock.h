#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace upskill::install {

// The lock files of `npx skills` (agents facts, section 4), read and written so that either program
// takes what the other wrote.
enum class LockKind : std::uint8_t {
  project, // `skills-lock.json`, version 1
  global   // `.skill-lock.json`, version 3
};

// One entry. Of the two kinds each has some of these; a field that is empty is left out, but for
// those that `skills` always writes.
struct LockEntry {
  std::string source = {};
  std::string source_type = {};
  std::string source_url = {};
  std::string ref = {};
  std::string skill_path = {};        // of its SKILL.md within the source
  std::string computed_hash = {};     // project
  std::string skill_folder_hash = {}; // global: git's tree hash, or the computed hash
  std::string well_known_digest = {};
  std::string source_base_url = {}; // global
  std::string installed_at = {};    // global, as JavaScript writes a time
  std::string updated_at = {};

  friend bool operator==(const LockEntry&, const LockEntry&) = default;
};

// A lock file. What we do not know in it (fields, entries' own fields, `dismissed`) stays.
// Owner: a call. Thread: one at a time.
class SkillsLock {
public:
  // An empty text is a lock without entries. Errors: corrupt for what does not parse, lacks
  // `version` or `skills`, or is of a version that we do not know: an unreadable lock is never an
  // empty one.
  static Result<SkillsLock> parse(LockKind kind, std::string_view text);
  SkillsLock(SkillsLock&&) noexcept;
  SkillsLock& operator=(SkillsLock&&) noexcept;
  ~SkillsLock();

  // Whether it is of a version that `skills` does not read any more. It has no entries then, and is
  // not to be written: what it says in its own way stays.
  bool is_older() const;
  // By the name that the front matter says, which may be any text: folder_name_of() makes the
  // folder's of it.
  std::map<std::string, LockEntry> entries() const;
  // What the entry has besides stays, and of the fields of LockEntry what the kind has.
  void put(const std::string& skill, const LockEntry& entry);
  // As JSON, with all it has; empty where there is none.
  std::string entry_text(const std::string& skill) const;
  // Such a text again. Nothing where it is none, or where the skill has an entry.
  void put_text(const std::string& skill, std::string_view text);
  bool remove(const std::string& skill);
  // With all it has. Where something is called `to` already, only that stays.
  void rename(const std::string& from, const std::string& to);
  // Whether what it says is something else than what was read.
  bool is_changed() const;
  std::string text() const; // 2-space JSON, names sorted, with a final newline

private:
  struct State;
  explicit SkillsLock(std::unique_ptr<State> state);
  std::unique_ptr<State> m_state;
};

} // namespace upskill::install
