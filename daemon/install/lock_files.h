#pragma once
#include "daemon/fetch/fetcher.h"
#include "daemon/install/candidate.h"
#include "daemon/install/file_lock.h"
#include "daemon/install/known_files.h"
#include "protocol/base/paths.h"
#include "protocol/base/result.h"
#include "skills/install/record.h"
#include "skills/install/skills_lock.h"

#include <functional>
#include <optional>
#include <string>

namespace upskill::daemon {

// A lock file that has been changed and is to be written. Until it goes, no other daemon of ours
// writes that file. Owner: a call on the pool. Thread: any, one at a time.
class ChangedLock {
public:
  ChangedLock(FileLock guard, std::string path, std::optional<std::string> text)
      : m_guard(std::move(guard))
      , m_path(std::move(path))
      , m_text(std::move(text)) {}

  // Blocks. Errors: of making its folder and of writing the file.
  Result<void> write() const;

private:
  FileLock m_guard;
  std::string m_path;
  std::optional<std::string> m_text; // nothing where it is to stay as it is
};

// The lock file of `npx skills` for one scope: the project's, or the one of all that is the user's.
// Looked at anew at each call. All of it blocks. Owner: a call. Thread: any, one at a time.
class LockFile {
public:
  LockFile(const std::string& project,
           const Places& places,
           const Environment& environment,
           KnownFiles& known);

  // Whether it can be read: the errors of read().
  Result<void> check() const;

  // Without entries where there is no file. Errors, with the file's name: corrupt, too_large,
  // permission, io.
  Result<install::SkillsLock> read() const;
  // Reads it and has it changed, while no other daemon of ours does. `npx skills` has no lock to
  // take. Errors: as read(); unsupported for a lock of an older version, which stays.
  Result<ChangedLock> changed(const std::function<void(install::SkillsLock& lock)>& work) const;

  const std::string& path() const { return m_path; }

  install::LockKind kind() const { return m_kind; }

private:
  install::LockKind m_kind;
  std::string m_path;
  std::string m_guard; // beside which our own lock lies
  KnownFiles& m_known;
};

// What is written into the lock of the row's scope for a skill, and what the source has of it.
install::LockEntry
lock_entry(const install::InstallRow& row, const Candidate& theirs, const fetch::Offered& offered);

// What an entry says, as a row without base: what `npx skills` has installed. Errors:
// invalid_argument where its source is nothing that we understand.
Result<install::InstallRow> row_of(const std::string& skill,
                                   const install::LockEntry& entry,
                                   const std::string& project,
                                   const std::string& home);

} // namespace upskill::daemon
