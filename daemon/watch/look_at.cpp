#include "daemon/watch/poll.h"
#include "protocol/base/bounds.h"
#include "protocol/base/unique_fd.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>

namespace upskill::watch {
namespace {

// SplitMix64's finalizer, to spread every field over the sum.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

std::uint64_t join(std::uint64_t hash, std::uint64_t value) {
  return mix(hash * 0x9E3779B97F4A7C15u + value + 1);
}

std::uint64_t join(std::uint64_t hash, std::string_view text) {
  for (unsigned char byte : text) {
    hash = (hash ^ byte) * 1099511628211u;
  }
  return mix(hash);
}

std::uint64_t nanoseconds(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u
         + static_cast<std::uint64_t>(time.tv_nsec);
}

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

Folder open_folder(int above, const char* name) {
  UniqueFd fd(::openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  DIR* folder = fd ? ::fdopendir(fd.get()) : nullptr;
  if (folder != nullptr) {
    fd.release();
  }
  return {folder, ::closedir};
}

const dirent* next_entry(DIR* folder) {
  for (;;) {
    const dirent* entry = ::readdir(folder); // NOLINT(concurrency-mt-unsafe): the stream is ours
    if (entry == nullptr) {
      return nullptr;
    }
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      return entry;
    }
  }
}

struct Look {
  IgnoreName ignored;
  std::size_t entries_left = k_max_skill_entries;

  // A sum, because the order in which a folder lists its entries means nothing.
  std::uint64_t entry(int above, const char* name, std::uint64_t path, std::size_t depth) {
    struct stat status = {};
    if (::fstatat(above, name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      return 0;
    }
    std::uint64_t key = join(path, name);
    bool folder = S_ISDIR(status.st_mode);
    std::uint64_t sum = join(join(key, status.st_ino), status.st_mode);
    if (!folder) {
      sum = join(join(sum, static_cast<std::uint64_t>(status.st_size)),
                 join(nanoseconds(status.st_mtim), nanoseconds(status.st_ctim)));
      return sum;
    }
    Folder opened = depth < k_max_skill_depth ? open_folder(above, name) : Folder(nullptr, nullptr);
    while (const dirent* below = opened ? next_entry(opened.get()) : nullptr) {
      if (ignored(below->d_name)) {
        continue;
      }
      if (entries_left-- == 0) {
        entries_left = 0;
        break;
      }
      sum += entry(::dirfd(opened.get()), below->d_name, key, depth + 1);
    }
    return sum;
  }
};

} // namespace

PolledRoot look_at(const std::string& root, IgnoreRules ignored) {
  Folder folder = open_folder(AT_FDCWD, root.c_str());
  if (!folder) {
    return std::nullopt;
  }
  std::vector<PolledSkill> skills;
  while (const dirent* entry = next_entry(folder.get())) {
    if (ignored.in_root(entry->d_name) || skills.size() >= k_max_skills_per_root) {
      continue;
    }
    Look look{ignored.in_skill};
    std::string name = entry->d_name;
    std::uint64_t fingerprint = look.entry(::dirfd(folder.get()), name.c_str(), 0, 1);
    skills.push_back({std::move(name), fingerprint});
  }
  std::sort(skills.begin(), skills.end(), [](const PolledSkill& a, const PolledSkill& b) {
    return a.name < b.name;
  });
  return skills;
}

} // namespace upskill::watch
