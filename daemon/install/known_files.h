#pragma once
#include "skills/install/record.h"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace upskill::daemon {

// Tells a file that was written since from one that was not.
struct FileMark {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  // Nothing where there is no file, or where it is so young that another write might leave the same
  // mark.
  static std::optional<FileMark> of(const std::string& path);

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

// What is on record. Shared, because with a thousand rows a copy takes a while.
using RecordNow = std::shared_ptr<const install::InstallRecord>;

// What the record and the lock files were found to hold, for as long as nobody writes them: with a
// thousand skills, reading them takes longer than all else that an install of one does.
// Owner: InstallDesk. Thread: any.
class KnownFiles {
public:
  // None: not known, or written since.
  RecordNow record(const std::string& path, const std::optional<FileMark>& mark) const;
  void keep(const std::string& path, const std::optional<FileMark>& mark, RecordNow record);

  // Whether it could be read, the way it is now.
  bool is_good_lock(const std::string& path, const std::optional<FileMark>& mark) const;
  void keep_good_lock(const std::string& path, const std::optional<FileMark>& mark);

private:
  struct KnownRecord {
    std::string path = {};
    FileMark mark = {};
    RecordNow record = {};
  };

  mutable std::mutex m_mutex;
  KnownRecord m_record = {}; // there is one
  std::map<std::string, FileMark> m_locks = {};
};

} // namespace upskill::daemon
