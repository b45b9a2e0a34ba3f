#include "skills/trace/byte_source.h"

#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/trace/zstd_source.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

namespace upskill::trace {
namespace {

class FileSource : public ByteSource {
public:
  FileSource(UniqueFd fd, std::string path, std::uint64_t size)
      : m_fd(std::move(fd))
      , m_path(std::move(path))
      , m_size(size) {}

  Result<std::size_t> read(std::span<char> room) override {
    std::size_t wanted = std::min<std::uint64_t>(room.size(), m_size - m_at);
    while (true) {
      ssize_t got = ::pread(m_fd.get(), room.data(), wanted, static_cast<off_t>(m_at));
      if (got >= 0) {
        m_at += static_cast<std::uint64_t>(got);
        return static_cast<std::size_t>(got);
      }
      if (errno != EINTR) {
        return fail(system_error(errno, "cannot read " + in_backticks(m_path)));
      }
    }
  }

  Result<std::uint64_t> skip(std::uint64_t count) override {
    count = std::min(count, m_size - m_at);
    m_at += count;
    return count;
  }

  bool is_compressed() const override { return false; }

  std::uint64_t stored_size() const override { return m_size; }

private:
  UniqueFd m_fd;
  std::string m_path;
  std::uint64_t m_size;
  std::uint64_t m_at = 0;
};

} // namespace

Result<std::unique_ptr<ByteSource>> open_bytes(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd) {
    return fail(system_error(errno, "cannot read " + in_backticks(path)));
  }

  struct stat status {};

  if (::fstat(fd.get(), &status) != 0) {
    return fail(system_error(errno, "cannot read " + in_backticks(path)));
  }
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::invalid_argument, in_backticks(path) + " is not a regular file");
  }
  std::array<char, 4> magic{};
  ssize_t got = ::pread(fd.get(), magic.data(), magic.size(), 0);
  auto file =
      std::make_unique<FileSource>(std::move(fd), path, static_cast<std::uint64_t>(status.st_size));
  if (got == 4 && is_zstd(std::string_view(magic.data(), magic.size()))) {
    return open_zstd(std::move(file), path);
  }
  return file;
}

} // namespace upskill::trace
