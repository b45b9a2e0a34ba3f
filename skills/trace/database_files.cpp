#include "skills/trace/database_files.h"

#include "protocol/base/utf8.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace upskill::trace {
namespace {

// Where SQLite locks a file (https://www.sqlite.org/src/file/src/os.h, PENDING_BYTE).
constexpr std::int64_t k_pending = 0x40000000;
constexpr std::int64_t k_reserved = k_pending + 1;
constexpr std::int64_t k_shared = k_pending + 2;
constexpr std::int64_t k_shared_size = 510;

constexpr std::size_t k_header = 100; // bytes of a database's
constexpr std::size_t k_wal_header = 32;

UniqueFd open_to_read(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
}

// What is there of so many bytes; empty where there is no file.
std::string beginning_of(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  ssize_t got = fd < 0 ? 0 : ::pread(fd, bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

bool is_database(std::string_view header) {
  return header.starts_with(std::string_view("SQLite format 3\0", 16));
}

FileMark mark_of(int fd, std::size_t beginning) {
  struct stat status = {};
  if (fd < 0 || ::fstat(fd, &status) != 0) {
    return {};
  }
  return {status.st_ino,
          static_cast<std::uint64_t>(status.st_size),
          static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + status.st_mtim.tv_nsec,
          beginning_of(fd, beginning)};
}

FileMark now(const std::string& path, std::size_t beginning) {
  return mark_of(open_to_read(path).get(), beginning);
}

} // namespace

Result<UniqueFd> open_database(const std::string& path) {
  UniqueFd fd = open_to_read(path);
  struct stat status = {};
  if (fd.get() < 0 || ::fstat(fd.get(), &status) != 0) {
    return fail(system_error(errno, "cannot open database " + in_backticks(path)));
  }
  if (!S_ISREG(status.st_mode) || !is_database(beginning_of(fd.get(), 20))) {
    return fail(ErrorCode::corrupt, in_backticks(path) + " is no SQLite database");
  }
  return fd;
}

NewFile::~NewFile() {
  if (m_fd && !m_is_kept) {
    ::unlink(m_path.c_str());
  }
}

Result<void> NewFile::make() {
  m_fd.reset(::open(m_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!m_fd) {
    return errno == EEXIST
               ? fail(ErrorCode::already_exists, in_backticks(m_path) + " exists already")
               : fail(system_error(errno, "cannot make " + in_backticks(m_path)));
  }
  return {};
}

Result<void> NewFile::write(std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t written = ::pwrite(m_fd.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno != EINTR) {
      return fail(system_error(errno, "cannot write " + in_backticks(m_path)));
    }
    auto done = static_cast<std::size_t>(std::max<ssize_t>(written, 0));
    bytes.remove_prefix(done);
    offset += done;
  }
  return {};
}

Result<void> NewFile::cut(std::uint64_t size) {
  return ::ftruncate(m_fd.get(), static_cast<off_t>(size)) == 0
             ? Result<void>()
             : fail(system_error(errno, "cannot write " + in_backticks(m_path)));
}

Result<void> Original::open() {
  TRY_ASSIGN(m_database, open_database(m_path));
  m_wal = open_to_read(m_path + "-wal");
  mark();
  return {};
}

void Original::mark() {
  m_before = mark_of(m_database.get(), k_header);
  m_wal_before = mark_of(m_wal.get(), k_wal_header);
}

// https://www.sqlite.org/fileformat2.html, 1.3.3
bool Original::is_wal() const {
  return m_before.beginning.size() == k_header && m_before.beginning[18] == 2;
}

Result<bool> Original::is_held() const {
  if (is_wal()) {
    return false; // changes go into the -wal, and what is copied into the file stands there too
  }
  bool is_begun = has_journal();
  if (is_locked(k_pending, 1) || is_locked(k_shared, k_shared_size)) {
    return true;
  }
  // A writer lets go of its lock after its journal is gone.
  if (is_begun && !is_locked(k_reserved, 1) && has_journal()) {
    return fail(ErrorCode::unavailable,
                "cannot read database " + in_backticks(m_path)
                    + ": its program stopped in the middle of a change",
                "start that program once, which brings it in order");
  }
  return false;
}

bool Original::is_as_before() const {
  if (!has_wal()) {
    Result<bool> held = is_held();
    return held && !*held && now(m_path, k_header) == m_before
           && now(m_path + "-wal", k_wal_header) == m_wal_before;
  }
  FileMark wal = now(m_path + "-wal", k_wal_header);
  return now(m_path, k_header).inode == m_before.inode && wal.inode == m_wal_before.inode
         && wal.size >= m_wal_before.size && wal.beginning == m_wal_before.beginning;
}

// Looks whether another has that part of the file for writing, and takes no lock.
bool Original::is_locked(std::int64_t from, std::int64_t size) const {
  struct flock lock = {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = from;
  lock.l_len = size;
  return ::fcntl(m_database.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

// Whether a change has begun that may have to be taken back
// (https://www.sqlite.org/fileformat2.html, 3).
bool Original::has_journal() const {
  UniqueFd journal = open_to_read(m_path + "-journal");
  std::string beginning = beginning_of(journal.get(), 1);
  return !beginning.empty() && beginning[0] != '\0';
}

} // namespace upskill::trace
