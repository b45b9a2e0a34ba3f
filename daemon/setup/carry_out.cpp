// What was planned for a file, done.
#include "daemon/setup/file_change.h"
#include "protocol/base/atomic_file.h"
#include "protocol/base/hash.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace upskill::setup {
namespace {

// Keeps a text beside the record, by what it is and whose.
Result<std::string> keep(const std::string& path, std::string_view bytes, const Places& places) {
  std::string folder = join_path(places.data, "setup");
  std::string name =
      sha256(path).brief(8) + "-" + sha256(bytes).brief(12) + "-" + std::string(base_name(path));
  TRY(make_directories(folder, 0700));
  std::string kept = join_path(folder, name);
  TRY(write_file_atomically(kept, bytes, 0600));
  return kept;
}

Result<void> write(FileChange& change, Record& record, const Places& places) {
  const std::string& path = change.file.path;
  FileRow* known = record.find(path);
  FileRow row = known == nullptr ? FileRow{} : *known;
  std::string old_backup = row.backup;
  bool is_over = change.entries.empty(); // nothing of ours is left in it
  row.path = path;
  row.project = change.project;
  row.is_made = change.is_made;
  row.entries = change.entries;
  row.after = change.after ? sha256(*change.after).hex() : "";
  row.backup.clear();
  if (!is_over && !change.is_made) {
    TRY_ASSIGN(row.backup, keep(path, change.without_us, places));
    change.step.backup = row.backup;
  }
  if (known == nullptr && change.after) {
    row.folders = folders_to_make(path);
  }
  // First the record: of a file that is not as it says, only what is ours is ever taken out.
  Record before = record;
  if (!is_over) {
    if (known != nullptr) {
      *known = row;
    } else {
      record.files.push_back(row);
    }
    TRY(save_record(record_path(places), record));
  }
  Result<void> done = change.after ? write_over(change.file, *change.after, change.boundary)
                                   : take_away(change.file, change.boundary, row.folders);
  if (!done) {
    record = std::move(before);
    Result<void> saved = save_record(record_path(places), record);
    return saved ? done : saved;
  }
  if (is_over) {
    std::erase_if(record.files, [&](const FileRow& one) { return one.path == path; });
    TRY(save_record(record_path(places), record));
  }
  if (!old_backup.empty() && old_backup != row.backup) {
    ::unlink(old_backup.c_str());
    ::rmdir(parent_path(old_backup).c_str()); // goes with the last one in it
  }
  return {};
}

} // namespace

void carry_out(FileChange& change, Record& record, const Places& places) {
  if (!change.is_change) {
    // A row of which nothing is left in the file has nothing more to say.
    if (change.entries.empty() && record.find(change.file.path) != nullptr) {
      std::erase_if(record.files, [&](const FileRow& one) { return one.path == change.file.path; });
      Result<void> saved = save_record(record_path(places), record);
      if (!saved) {
        change.step.state = SetupState::failed;
        change.step.reason = saved.error().message;
        change.others.push_back(change.step);
      }
    }
    return;
  }
  Result<void> done = write(change, record, places);
  change.step.state = done ? SetupState::done : SetupState::failed;
  if (!done) {
    change.step.backup.clear();
    change.step.reason = done.error().message;
    change.step.hint = done.error().hint;
  }
}

} // namespace upskill::setup
