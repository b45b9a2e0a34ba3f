#include "skills/archive/session_source.h"

#include "protocol/base/utf8.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace upskill::archive {
namespace {

constexpr std::size_t k_head = 64u << 10;
constexpr std::size_t k_head_imprint = 4096;
constexpr std::size_t k_passed = 256u << 10;
constexpr std::uint64_t k_skip_step = 16u << 20; // between looks at whether to stop

std::string digest_of(std::string_view bytes) {
  return sha256(bytes).hex();
}

tl::unexpected<Error> changed() {
  return fail(ErrorCode::changed, "the file is not what it was when it was read before");
}

} // namespace

Result<FileIdentity> identify(const std::string& path) {
  struct stat status {};

  if (::stat(path.c_str(), &status) != 0) {
    int failure = errno;
    return fail(system_error(failure, in_backticks(path)));
  }
  return FileIdentity{status.st_dev,
                      status.st_ino,
                      status.st_size,
                      static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000
                          + status.st_mtim.tv_nsec / 1'000'000};
}

Result<SessionSource> SessionSource::open(const std::string& path) {
  // Looked at before it is opened: what is written meanwhile is then found to be new.
  TRY_ASSIGN(FileIdentity identity, identify(path));
  TRY_ASSIGN(std::unique_ptr<trace::ByteSource> bytes, trace::open_bytes(path));
  SessionSource source(std::move(bytes), identity);
  TRY(source.read_head());
  return source;
}

Result<void> SessionSource::read_head() {
  m_head.resize(k_head);
  std::size_t used = 0;
  while (used < m_head.size()) {
    Result<std::size_t> got = m_source->read(std::span(m_head).subspan(used));
    if (!got) {
      m_problem = std::move(got).error();
    }
    if (!got || *got == 0) {
      m_is_whole_head = true;
      break;
    }
    used += *got;
  }
  m_head.resize(used);
  if (used == 0 && m_problem) {
    return fail(*m_problem);
  }
  m_format = trace::detect_format(m_head, m_is_whole_head);
  return {};
}

Imprint SessionSource::head_imprint() const {
  std::string_view bytes = std::string_view(m_head).substr(0, k_head_imprint);
  return {0, bytes.size(), digest_of(bytes)};
}

bool SessionSource::begins_as(const Imprint& imprint) const {
  return imprint.offset == 0 && imprint.size <= m_head.size()
         && digest_of(std::string_view(m_head).substr(0, imprint.size)) == imprint.digest;
}

Result<void> SessionSource::advance(std::uint64_t offset, const std::stop_token& stop) {
  m_at = std::max(m_at, std::min<std::uint64_t>(offset, m_head.size()));
  while (m_at < offset) {
    if (stop.stop_requested()) {
      return fail(ErrorCode::cancelled, "reading a session was cancelled");
    }
    TRY_ASSIGN(std::uint64_t skipped, m_source->skip(std::min(offset - m_at, k_skip_step)));
    if (skipped == 0) {
      return changed();
    }
    m_at += skipped;
  }
  return {};
}

Result<void>
SessionSource::resume(std::uint64_t offset, const Imprint& before, std::stop_token stop) {
  if (before.offset + before.size > offset || before.size > k_tail_imprint) {
    return changed();
  }
  std::uint64_t end = before.offset + before.size;
  std::uint64_t begin = end - std::min<std::uint64_t>(end, k_passed);
  TRY(advance(begin, stop));
  m_passed.resize(end - begin);
  for (std::size_t used = 0; used < m_passed.size();) {
    TRY_ASSIGN(std::size_t got, read(std::span(m_passed).subspan(used)));
    if (got == 0) {
      return changed();
    }
    used += got;
  }
  if (digest_of(std::string_view(m_passed).substr(before.offset - begin)) != before.digest) {
    return changed();
  }
  if (begin > 0) {                          // in the middle of a record
    m_passed.erase(0, m_passed.find('\n')); // all, where that one is longer
  }
  return advance(offset, stop);
}

Result<std::size_t> SessionSource::read(std::span<char> room) {
  if (m_at < m_head.size()) {
    std::size_t size = m_head.copy(room.data(), room.size(), m_at);
    m_at += size;
    return size;
  }
  if (m_problem) {
    return fail(*std::exchange(m_problem, std::nullopt));
  }
  if (m_is_whole_head) {
    return 0;
  }
  TRY_ASSIGN(std::size_t size, m_source->read(room));
  m_at += size;
  return size;
}

Imprint tail_imprint(std::string_view bytes, std::uint64_t offset) {
  std::string_view tail = bytes.substr(bytes.size() - std::min(bytes.size(), k_tail_imprint));
  return {offset + bytes.size() - tail.size(), tail.size(), digest_of(tail)};
}

} // namespace upskill::archive
