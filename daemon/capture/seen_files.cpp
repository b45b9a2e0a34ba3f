#include "daemon/capture/seen_files.h"

#include <functional>

namespace upskill::capture {
namespace {

constexpr std::int64_t k_settled_ms = 2000; // the coarsest time that a file system keeps (FAT)

std::uint64_t key_of(const SessionFile& file) {
  return std::hash<std::string>()(file.path);
}

} // namespace

bool SeenFiles::is_same(const SessionFile& file) const {
  auto found = m_files.find(key_of(file));
  return found != m_files.end() && found->second == State{file.size, file.changed_ms};
}

void SeenFiles::saw(const SessionFile& file, std::int64_t now_ms) {
  if (file.changed_ms + k_settled_ms > now_ms) {
    m_files.erase(key_of(file));
  } else {
    m_files.insert_or_assign(key_of(file), State{file.size, file.changed_ms});
  }
}

} // namespace upskill::capture
