#include "daemon/handlers/file_digests.h"

#include "daemon/handlers/skill_files.h"
#include "protocol/base/utf8.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_chunk = 128u << 10; // bytes; how long a cancelled call may go on

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

} // namespace

FileDigests::FileDigests(Now now)
    : m_now(std::move(now))
    , m_digests(k_most) {}

std::int64_t FileDigests::wall_clock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

FileDigests::Identity FileDigests::identity_of(const struct stat& status) {
  return {status.st_dev,
          status.st_ino,
          status.st_size,
          nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

std::size_t FileDigests::IdentityHash::operator()(const Identity& file) const noexcept {
  std::uint64_t value = file.inode;
  for (std::uint64_t part : {std::uint64_t{file.device},
                             static_cast<std::uint64_t>(file.size),
                             static_cast<std::uint64_t>(file.mtime_ns),
                             static_cast<std::uint64_t>(file.ctime_ns)}) {
    value = (value ^ part) * 0x9E3779B97F4A7C15; // 2^64 divided by the golden ratio
    value ^= value >> 32;
  }
  return value;
}

std::optional<FileDigest> FileDigests::known(const struct stat& status) {
  std::lock_guard lock(m_mutex);
  const Digest* digest = m_digests.find(identity_of(status));
  return digest == nullptr ? std::nullopt : std::optional(FileDigest{*digest, status.st_size});
}

Result<FileDigest> FileDigests::read(int skill,
                                     const std::string& path,
                                     std::size_t limit,
                                     std::string* bytes,
                                     const std::stop_token& stopping) {
  TRY_ASSIGN(UniqueFd fd, open_inside(skill, path, O_RDONLY));

  struct stat before {};

  if (::fstat(fd.get(), &before) != 0 || !S_ISREG(before.st_mode)) {
    return fail(ErrorCode::changed, in_backticks(path) + " is no file any more", "try again");
  }
  std::int64_t started = m_now();
  m_files_read.fetch_add(1, std::memory_order_relaxed);
  Sha256 hash;
  std::int64_t size = 0;
  std::string chunk(std::min(k_chunk, static_cast<std::size_t>(before.st_size) + 1), '\0');
  for (;;) {
    if (stopping.stop_requested()) {
      return fail(ErrorCode::cancelled, "the call was cancelled");
    }
    ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return fail(system_error(errno, "cannot read " + in_backticks(path)));
    }
    if (got == 0) {
      break;
    }
    std::string_view part(chunk.data(), static_cast<std::size_t>(got));
    size += got;
    if (static_cast<std::size_t>(size) > limit) {
      return fail(ErrorCode::too_large,
                  in_backticks(path) + " holds more than " + std::to_string(limit) + " bytes");
    }
    hash.update(part);
    if (bytes != nullptr) {
      bytes->append(part);
    }
  }
  FileDigest result{hash.finish(), size};

  struct stat after {};

  bool is_same = ::fstat(fd.get(), &after) == 0 && identity_of(before) == identity_of(after)
                 && after.st_size == size;
  if (is_same && nanoseconds(before.st_ctim) < started - k_settled_ns) {
    std::lock_guard lock(m_mutex);
    m_digests.put(identity_of(before), result.digest);
  }
  return result;
}

} // namespace upskill::daemon
