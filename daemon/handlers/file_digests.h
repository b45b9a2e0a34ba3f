#pragma once
#include "daemon/handlers/recent_map.h"
#include "protocol/base/hash.h"
#include "protocol/base/result.h"

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace upskill::daemon {

// What was in a file when it was read.
struct FileDigest {
  Digest digest = {};
  std::int64_t size = 0; // bytes that were hashed
};

// The digests of skills' files, so that files which nobody touched are not read again. A file is
// the same as before where its place, size, mtime and ctime are; ctime cannot be set back.
// Owner: SkillManifests. Thread: any. Lifetime: the engine's.
class FileDigests {
public:
  static constexpr std::size_t k_most = 65'536; // files; about 8 MB
  // A file whose ctime is younger than this when it is read is not remembered, because the next
  // change may leave it with the same times: the clocks of file systems go by up to 2 s (FAT).
  static constexpr std::int64_t k_settled_ns = 2'000'000'000;

  // Nanoseconds since 1970, as files are stamped.
  using Now = std::function<std::int64_t()>;

  explicit FileDigests(Now now = wall_clock);

  // Without opening it, of a file with that status.
  std::optional<FileDigest> known(const struct stat& status);

  // Reads the file at that path in the open folder of a skill, at most `limit` bytes, and keeps
  // what it read in `bytes` unless that is null. Errors: as open_inside(), changed for what is no
  // file any more, too_large, cancelled.
  Result<FileDigest> read(int skill,
                          const std::string& path,
                          std::size_t limit,
                          std::string* bytes,
                          const std::stop_token& stopping);

  // How many files were read so far.
  std::uint64_t files_read() const { return m_files_read.load(std::memory_order_relaxed); }

private:
  struct Identity {
    dev_t device;
    ino_t inode;
    std::int64_t size;
    std::int64_t mtime_ns;
    std::int64_t ctime_ns;

    friend bool operator==(const Identity&, const Identity&) = default;
  };

  struct IdentityHash {
    std::size_t operator()(const Identity& file) const noexcept;
  };

  static std::int64_t wall_clock();
  static Identity identity_of(const struct stat& status);

  Now m_now;
  std::mutex m_mutex;
  RecentMap<Identity, Digest, IdentityHash> m_digests; // guarded by m_mutex
  std::atomic<std::uint64_t> m_files_read = 0;
};

} // namespace upskill::daemon
