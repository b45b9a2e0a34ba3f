#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

// The files of a SQLite database that is another program's, read by nobody but us: SQLite would
// write to the -shm, or make one, and lock them. For foreign_database only.
namespace upskill::trace {

// corrupt: it is no database. not_found, permission, io: as it says.
Result<UniqueFd> open_database(const std::string& path);

// A new file of ours that is gone again unless it is kept.
class NewFile {
public:
  explicit NewFile(std::string path)
      : m_path(std::move(path)) {}

  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  // already_exists: somebody has made it.
  Result<void> make();
  Result<void> write(std::string_view bytes, std::uint64_t offset);
  Result<void> cut(std::uint64_t size);

  void keep() { m_is_kept = true; }

private:
  std::string m_path;
  UniqueFd m_fd = {};
  bool m_is_kept = false;
};

// What tells two states of a file that others write to apart.
struct FileMark {
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t changed_ns = 0;
  std::string beginning = {}; // of a database: with its count of changes

  friend bool operator==(const FileMark&, const FileMark&) = default;
};

// A database and its -wal, while they are copied.
class Original {
public:
  explicit Original(std::string path)
      : m_path(std::move(path)) {}

  // Errors as of open_database.
  Result<void> open();
  // What is copied is compared with this.
  void mark();

  std::uint64_t size() const { return m_before.size + m_wal_before.size; }

  bool is_wal() const;

  bool has_wal() const { return is_wal() && m_wal_before.size > 0; }

  int database() const { return m_database.get(); }

  int wal() const { return m_wal.get(); }

  // Whether somebody is changing the file itself just now. unavailable: somebody was, and died.
  Result<bool> is_held() const;
  // Whether what was copied since mark(), the file before its -wal, is of one moment. A -wal may
  // have grown: what was copied of it ends with a whole change. Begun anew, it may lack what has
  // gone into the file meanwhile.
  bool is_as_before() const;

private:
  bool is_locked(std::int64_t from, std::int64_t size) const;
  bool has_journal() const;

  std::string m_path;
  UniqueFd m_database = {};
  UniqueFd m_wal = {};
  FileMark m_before = {};
  FileMark m_wal_before = {};
};

} // namespace upskill::trace
