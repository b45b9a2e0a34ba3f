#include "daemon/install/known_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>

namespace upskill::daemon {
namespace {

constexpr std::size_t k_most_locks = 256; // one for each project
// Times of files go by the kernel's ticks, of which the longest takes 10 ms.
constexpr std::int64_t k_young_ns = 40'000'000;

std::int64_t ns_of(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

} // namespace

std::optional<FileMark> FileMark::of(const std::string& path) {
  struct stat status {};

  timespec now{};
  if (::stat(path.c_str(), &status) != 0 || ::clock_gettime(CLOCK_REALTIME, &now) != 0) {
    return std::nullopt;
  }
  FileMark mark{
      status.st_dev, status.st_ino, status.st_size, ns_of(status.st_mtim), ns_of(status.st_ctim)};
  const std::int64_t newest = std::max(mark.modified_ns, mark.changed_ns);
  return ns_of(now) - newest >= k_young_ns ? std::optional(mark) : std::nullopt;
}

RecordNow KnownFiles::record(const std::string& path, const std::optional<FileMark>& mark) const {
  std::lock_guard lock(m_mutex);
  return m_record.path == path && mark == m_record.mark ? m_record.record : nullptr;
}

void KnownFiles::keep(const std::string& path,
                      const std::optional<FileMark>& mark,
                      RecordNow record) {
  if (mark) {
    std::lock_guard lock(m_mutex);
    m_record = {path, *mark, std::move(record)};
  }
}

bool KnownFiles::is_good_lock(const std::string& path, const std::optional<FileMark>& mark) const {
  std::lock_guard lock(m_mutex);
  auto known = m_locks.find(path);
  return known != m_locks.end() && mark == known->second;
}

void KnownFiles::keep_good_lock(const std::string& path, const std::optional<FileMark>& mark) {
  if (mark) {
    std::lock_guard lock(m_mutex);
    if (m_locks.size() >= k_most_locks) {
      m_locks.clear();
    }
    m_locks.insert_or_assign(path, *mark);
  }
}

} // namespace upskill::daemon
