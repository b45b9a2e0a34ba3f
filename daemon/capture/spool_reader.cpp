#include "daemon/capture/spool_reader.h"

#include "protocol/base/atomic_file.h"
#include "protocol/hook/spool_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

namespace upskill::capture {
namespace {

constexpr const char* k_counted_file = "dropped.counted";

bool status_of(int file, struct stat& status) {
  return ::fstat(file, &status) == 0 && status.st_uid == ::geteuid();
}

bool is_same_file(int a, int b) {
  struct stat one {};

  struct stat other {};

  return status_of(a, one) && status_of(b, other) && one.st_dev == other.st_dev
         && one.st_ino == other.st_ino;
}

// Whether no hook can write to it any more. Where the file system knows no locks, none is waited
// for.
bool take_alone(int file) {
  return ::flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

Result<std::string> read_at(int file, std::uint64_t offset, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t used = 0;
  while (used < size) {
    ssize_t got =
        ::pread(file, bytes.data() + used, size - used, static_cast<off_t>(offset + used));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail(system_error(errno, "cannot read the hooks' spool"));
    }
    if (got == 0) {
      break;
    }
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

// Takes whole records from the beginning; answers how many bytes they, and what is torn between
// them, are.
std::size_t take_records(std::string_view bytes, SpoolBatch& batch) {
  std::size_t used = 0;
  while (used < bytes.size()) {
    hook::DecodedPiece decoded = hook::decode_piece(bytes.substr(used));
    if (decoded.piece == hook::Piece::unfinished) {
      break;
    }
    used += decoded.used;
    batch.torn += decoded.piece == hook::Piece::torn ? 1 : 0;
    batch.foreign += decoded.piece == hook::Piece::foreign ? 1 : 0;
    if (decoded.piece == hook::Piece::record) {
      batch.events.push_back(std::move(decoded.event));
    }
  }
  return used;
}

} // namespace

Result<SpoolReader> SpoolReader::open(const std::string& folder, const SpoolLimits& limits) {
  TRY(make_directories(folder, 0700));
  UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));

  struct stat status {};

  if (!opened || !status_of(opened.get(), status)) {
    return fail(ErrorCode::refused,
                "`" + folder + "` is not a folder of this user's",
                "remove it; the next hook makes it again");
  }
  if ((status.st_mode & 0777) != 0700 && ::fchmod(opened.get(), 0700) != 0) {
    return fail(system_error(errno, "cannot set the mode of `" + folder + "`"));
  }
  SpoolLimits sensible = limits;
  // Less than that, and a batch might hold nothing that can be told from a record's beginning.
  sensible.batch = std::max(limits.batch, 2 * hook::k_max_record);
  return SpoolReader(std::move(opened), sensible);
}

Result<SpoolBatch> SpoolReader::read() {
  struct stat status {};

  if (!status_of(m_folder.get(), status) || status.st_nlink == 0) {
    return fail(ErrorCode::changed, "the hooks' spool was removed", "open it again");
  }
  SpoolBatch batch;
  TRY(read_sealed(batch));
  TRY(read_live(batch));
  batch.dropped = take_dropped();
  return batch;
}

Result<void> SpoolReader::release() {
  if (m_sealed && m_sealed->is_read) {
    // A hook that opened it long ago finds, once it has its lock, that it is gone, and looks again.
    if (::unlinkat(m_folder.get(), hook::k_sealed_segment, 0) != 0 && errno != ENOENT) {
      return fail(system_error(errno, "cannot remove a segment of the hooks' spool"));
    }
    m_sealed.reset();
  }
  return {};
}

Result<std::optional<SpoolReader::Segment>> SpoolReader::open_segment(const char* name) const {
  // For writing, because a network's file system gives no lock otherwise.
  constexpr int k_flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Segment segment;
  segment.file.reset(::openat(m_folder.get(), name, k_flags));
  if (!segment.file) {
    return errno == ENOENT ? Result<std::optional<Segment>>(std::nullopt)
                           : fail(system_error(errno, "cannot read the hooks' spool"));
  }

  struct stat status {};

  if (!status_of(segment.file.get(), status) || !S_ISREG(status.st_mode)) {
    return fail(ErrorCode::refused,
                "`" + std::string(name) + "` of the hooks' spool is not a file of this user's",
                "remove it; the next hook makes it again");
  }
  return std::optional(std::move(segment));
}

Result<void> SpoolReader::read_sealed(SpoolBatch& batch) {
  if (!m_sealed) {
    TRY_ASSIGN(m_sealed, open_segment(hook::k_sealed_segment));
  }
  if (!m_sealed || m_sealed->is_read) {
    return {};
  }
  // Hooks that found it before it was renamed may still write; whoever has it alone has the last.
  m_sealed->is_owned = m_sealed->is_owned || take_alone(m_sealed->file.get());
  TRY_ASSIGN(bool is_all, take(*m_sealed, batch));
  m_sealed->is_read = is_all && m_sealed->is_owned;
  batch.more = batch.more || !m_sealed->is_read;
  return {};
}

Result<void> SpoolReader::read_live(SpoolBatch& batch) {
  struct stat status {};

  if (m_live && (!status_of(m_live->file.get(), status) || status.st_nlink == 0)) {
    m_live.reset(); // somebody tidied up
  }
  if (!m_live) {
    TRY_ASSIGN(m_live, open_segment(hook::k_live_segment));
  }
  if (!m_live) {
    return {};
  }
  TRY_ASSIGN(bool is_all, take(*m_live, batch));
  batch.more = batch.more || !is_all;
  if (is_all && !m_sealed && m_live->offset >= m_limits.seal_at) {
    TRY(seal());
    return read_sealed(batch);
  }
  return {};
}

Result<bool> SpoolReader::take(Segment& segment, SpoolBatch& batch) const {
  struct stat status {};

  if (!status_of(segment.file.get(), status)) {
    return fail(system_error(errno, "cannot read the hooks' spool"));
  }
  auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < segment.offset) {
    segment.offset = 0; // cut by somebody: what lies there now is new
  }
  std::uint64_t rest = size - segment.offset;
  std::uint64_t wanted = std::min<std::uint64_t>(rest, m_limits.batch);
  TRY_ASSIGN(std::string bytes,
             read_at(segment.file.get(), segment.offset, static_cast<std::size_t>(wanted)));
  std::size_t used = take_records(bytes, batch);
  segment.offset += used;
  if (wanted < rest) {
    return false;
  }
  if (used < bytes.size() && segment.is_owned) {
    // Nobody is writing it: a hook was killed within its write.
    segment.offset += bytes.size() - used;
    ++batch.torn;
  }
  return true;
}

Result<void> SpoolReader::seal() {
  if (::renameat(m_folder.get(), hook::k_live_segment, m_folder.get(), hook::k_sealed_segment)
      != 0) {
    return fail(system_error(errno, "cannot seal a segment of the hooks' spool"));
  }
  // Somebody may have put another file there since it was opened: then that one is sealed, unread.
  TRY_ASSIGN(m_sealed, open_segment(hook::k_sealed_segment));
  if (m_sealed && is_same_file(m_sealed->file.get(), m_live->file.get())) {
    m_sealed->offset = m_live->offset;
  }
  m_live.reset();
  return {};
}

std::uint64_t SpoolReader::take_dropped() const {
  // Counted by a single byte each. Renamed first, so that a hook which comes now begins another.
  if (::renameat(m_folder.get(), hook::k_dropped_file, m_folder.get(), k_counted_file) != 0) {
    return 0;
  }

  struct stat status {};

  bool is_there = ::fstatat(m_folder.get(), k_counted_file, &status, AT_SYMLINK_NOFOLLOW) == 0;
  ::unlinkat(m_folder.get(), k_counted_file, 0);
  return is_there && S_ISREG(status.st_mode) ? static_cast<std::uint64_t>(status.st_size) : 0;
}

} // namespace upskill::capture
