#include "daemon/mapping.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_page = 4096; // bytes; where pages are larger, discard() only clears

constexpr int k_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Error not_ours(int errno_value) {
  Error error = system_error(errno_value, "the third descriptor of a handover is no usable memfd");
  error.code = ErrorCode::invalid_argument;
  error.hint = "use the `upskill` that belongs to this daemon";
  return error;
}

} // namespace

Mapping::Mapping(std::span<char> bytes, bool is_shared)
    : m_bytes(bytes)
    , m_is_shared(is_shared) {}

Mapping::Mapping(Mapping&& other) noexcept
    : m_bytes(std::exchange(other.m_bytes, {}))
    , m_is_shared(other.m_is_shared) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  std::swap(m_bytes, other.m_bytes);
  std::swap(m_is_shared, other.m_is_shared);
  return *this;
}

Mapping::~Mapping() {
  if (m_bytes.data() != nullptr) {
    ::munmap(m_bytes.data(), m_bytes.size());
  }
}

Result<Mapping> Mapping::anonymous(std::size_t size) {
  void* at = ::mmap(
      nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    return fail(system_error(errno, "memory for a session cannot be had"));
  }
  // A session touches a page here and there: huge pages would make it cost megabytes.
  ::madvise(at, size, MADV_NOHUGEPAGE);
  return Mapping({static_cast<char*>(at), size}, false);
}

Result<Mapping> Mapping::of_memfd(UniqueFd fd, std::size_t size) {
  struct stat status {};

  if (::fstat(fd.get(), &status) != 0) {
    return fail(not_ours(errno));
  }
  if (status.st_size == 0 && ::ftruncate(fd.get(), static_cast<off_t>(size)) != 0) {
    return fail(not_ours(errno));
  }
  if (status.st_size != 0 && static_cast<std::size_t>(status.st_size) != size) {
    return fail(not_ours(EINVAL));
  }
  int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0) {
    return fail(not_ours(errno));
  }
  if ((seals & k_seals) != k_seals && ::fcntl(fd.get(), F_ADD_SEALS, k_seals) != 0) {
    return fail(not_ours(errno));
  }
  void* at = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (at == MAP_FAILED) {
    return fail(not_ours(errno));
  }
  return Mapping({static_cast<char*>(at), size}, true);
}

void Mapping::discard(std::size_t offset, std::size_t length) {
  std::size_t end = offset + length;
  std::size_t first = (offset + k_page - 1) / k_page * k_page;
  std::size_t last = end / k_page * k_page;
  if (first >= last) {
    std::memset(m_bytes.data() + offset, 0, length);
    return;
  }
  std::memset(m_bytes.data() + offset, 0, first - offset);
  std::memset(m_bytes.data() + last, 0, end - last);
  int failed =
      ::madvise(m_bytes.data() + first, last - first, m_is_shared ? MADV_REMOVE : MADV_DONTNEED);
  if (failed != 0) {
    std::memset(m_bytes.data() + first, 0, last - first);
  }
}

} // namespace upskill::daemon
