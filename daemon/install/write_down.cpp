#include "daemon/install/write_down.h"

#include "skills/install/discover.h"

namespace upskill::daemon {
namespace {

// Each skill has one folder here, so it has one entry, whatever the name is that stood there.
void change_lock(install::SkillsLock& lock, const std::map<std::string, LockChange>& changes) {
  for (const auto& [name, entry] : lock.entries()) {
    auto change = changes.find(install::folder_name_of(name));
    if (change == changes.end()) {
      continue;
    }
    if (!change->second.entry) {
      lock.remove(name);
    } else if (name != change->second.name) {
      lock.rename(name, change->second.name);
    }
  }
  for (const auto& [skill, change] : changes) {
    if (change.entry) {
      lock.put(change.name, *change.entry);
    }
  }
}

using RemovedRows = std::map<install::InstallKey, install::RemovedRow>;

// How the rows of those that went are kept. A lock that cannot be read has nothing to put back.
RemovedRows set_aside(const ToWrite& what, const InstallFiles& files, std::int64_t now_ms) {
  RemovedRows rows;
  for (const GoneSkill& gone : what.gone) {
    if (gone.left) {
      install::RemovedRow& removed = rows[gone.key];
      removed.left = *gone.left;
      removed.removed_ms = now_ms;
    }
  }
  for (const auto& [scope, changes] : rows.empty() ? LockChanges() : what.locks) {
    Result<install::SkillsLock> lock = files.lock(scope).read();
    if (!lock) {
      continue;
    }
    for (const auto& [name, entry] : lock->entries()) {
      auto row = rows.find({scope, install::folder_name_of(name)});
      if (row != rows.end()) {
        row->second.lock_name = name;
        row->second.lock_entry = lock->entry_text(name);
      }
    }
  }
  return rows;
}

void put_back(install::SkillsLock& lock, const std::string& scope, const RemovedRows& back) {
  for (const auto& [key, removed] : back) {
    if (key.first == scope && !removed.lock_entry.empty()) {
      lock.put_text(removed.lock_name, removed.lock_entry);
    }
  }
}

// Takes back rows of skills that are there again, and has their entries put back.
void take_back(const ToWrite& what, install::InstallRecord& record, RemovedRows& back) {
  for (const install::InstallKey& key : what.back) {
    auto removed = record.removed().find(key);
    if (removed != record.removed().end()) {
      back.insert(*removed);
      record.take_back(key);
    }
  }
}

// By the place of its scope in the order's changes.
using ChangedLocks = std::vector<Result<ChangedLock>>;

ChangedLocks
changed_locks(const LockChanges& changes, const RemovedRows& back, const InstallFiles& files) {
  LockChanges scopes = changes;
  for (const auto& [key, removed] : back) {
    scopes[key.first]; // which is to be looked at
  }
  ChangedLocks locks;
  for (const auto& [scope, entries] : scopes) {
    locks.push_back(files.lock(scope).changed([&](install::SkillsLock& lock) {
      put_back(lock, scope, back);
      change_lock(lock, entries);
    }));
  }
  return locks;
}

Result<RecordNow> change_record(const ToWrite& what,
                                const InstallFiles& files,
                                const RemovedRows& gone,
                                RemovedRows& back) {
  Result<RecordNow> record = files.record().change([&](install::InstallRecord& all) {
    for (const GoneSkill& skill : what.gone) {
      auto kept = gone.find(skill.key);
      if (kept != gone.end()) {
        all.set_aside(skill.key, kept->second);
      } else {
        all.remove(skill.key.first, skill.key.second);
      }
    }
    take_back(what, all, back);
    for (const install::InstallRow& row : what.rows) {
      all.put(row);
    }
  });
  if (!record) {
    Error error = std::move(record).error();
    error.message = "the skills' folders are done, but not written down: " + error.message;
    error.hint = error.hint.empty() ? "run the same again once that is put right" : error.hint;
    return fail(std::move(error));
  }
  return record;
}

} // namespace

Result<Written> write_down(const ToWrite& what,
                           const InstallFiles& files,
                           std::int64_t now_ms,
                           const sync::Together& together) {
  const RemovedRows gone = set_aside(what, files, now_ms);
  RemovedRows back;
  Result<RecordNow> record;
  ChangedLocks locks;
  auto write_record = [&] { record = change_record(what, files, gone, back); };
  auto change_locks = [&] { locks = changed_locks(what.locks, back, files); };
  if (what.back.empty()) {
    together(2, [&](std::size_t task) { task == 0 ? write_record() : change_locks(); });
  } else {
    write_record(); // which alone knows the entries that come back
    change_locks();
  }
  TRY(record);
  Written written;
  written.record = std::move(*record);
  for (const Result<ChangedLock>& lock : locks) {
    Result<void> done = lock ? lock->write() : fail(lock.error());
    if (!done) {
      written.warnings.push_back("the lock file of `npx skills` was not written: "
                                 + done.error().message);
    }
  }
  return written;
}

} // namespace upskill::daemon
