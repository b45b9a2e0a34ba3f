#include "daemon/telemetry/line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::telemetry {
namespace {

constexpr std::size_t k_block = 64u << 10; // bytes

} // namespace

LineFile::LineFile(UniqueFd fd)
    : m_fd(std::move(fd)) {}

LineFile::LineFile(LineFile&& other) noexcept
    : m_fd(std::move(other.m_fd))
    , m_buffer(std::move(other.m_buffer)) {}

LineFile::~LineFile() {
  write_out();
}

Result<LineFile> LineFile::create(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd) {
    return fail(system_error(errno, "`" + path + "` cannot be written"));
  }
  return LineFile(std::move(fd));
}

void LineFile::append(std::string_view line) {
  std::lock_guard lock(m_mutex);
  take(line);
  if (m_buffer.size() >= k_block) {
    write_out();
  }
}

void LineFile::flush() {
  std::lock_guard lock(m_mutex);
  write_out();
}

void LineFile::finish(std::string_view line) {
  std::lock_guard lock(m_mutex);
  take(line);
  write_out();
  m_fd.reset();
}

void LineFile::take(std::string_view line) {
  if (m_fd) {
    m_buffer += line;
    m_buffer += '\n';
  }
}

void LineFile::write_out() {
  std::string_view left = m_buffer;
  while (m_fd && !left.empty()) {
    ssize_t written = ::write(m_fd.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      m_fd.reset();
      break;
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  m_buffer.clear();
}

} // namespace upskill::telemetry
