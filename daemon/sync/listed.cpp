#include "daemon/sync/listed.h"

#include "daemon/watch/watch_tree.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace upskill::daemon {
namespace {

constexpr std::array<std::string_view, 2> k_documents{"SKILL.md", "skill.md"};

// The first of both names that is there.
ListedFile look_at_copy(const std::string& folder) {
  for (std::string_view name : k_documents) {
    struct stat status {};

    if (::stat(join_path(folder, name).c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      std::int64_t seconds = status.st_mtim.tv_sec;
      return {seconds * 1'000'000'000 + status.st_mtim.tv_nsec, status.st_size};
    }
  }
  return {};
}

ListedFile newest_of(const Scene& scene, const SkillKey& skill) {
  ListedFile newest;
  for (const library::Root& root : scene.roots) {
    if (root.project == skill.first && root.state != RootState::refused) {
      ListedFile file = look_at_copy(join_path(root.real_path, skill.second));
      newest = file.size > 0 && file.mtime_ns > newest.mtime_ns ? file : newest;
    }
  }
  return newest;
}

} // namespace

std::map<SkillKey, ListedFile> look_at_listed(const Scene& scene,
                                              const std::set<SkillKey>& skills) {
  std::map<SkillKey, ListedFile> found;
  for (const SkillKey& skill : skills) {
    found.emplace(skill, newest_of(scene, skill));
  }
  return found;
}

bool may_change_list(const watch::Change& change) {
  bool is_whole = change.entry == watch::hash_name(change.skill);
  bool is_document = std::ranges::any_of(
      k_documents, [&](std::string_view name) { return change.entry == watch::hash_name(name); });
  // Several of that kind may have been told as one.
  return is_whole || is_document || change.kind == watch::ChangeKind::other;
}

bool ListMemory::update(const std::map<SkillKey, ListedFile>& skills) {
  bool differs = false;
  for (const auto& [skill, file] : skills) {
    auto [known, is_new] = m_files.try_emplace(skill, file);
    differs = differs || is_new || known->second != file;
    known->second = file;
  }
  stay_small();
  return differs;
}

} // namespace upskill::daemon
