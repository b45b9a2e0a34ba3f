#include "skills/store/conflict_folders.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/store/folder_tree.h"
#include "skills/store/item_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

namespace upskill::store {
namespace {

constexpr std::string_view k_unfinished = ".new-";
constexpr std::int64_t k_unfinished_age_ms = 3'600'000;

// What an interrupted keep() left; a younger one may be under way in another process.
Result<void> sweep(const std::string& folder, std::int64_t time_ms) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return fail(system_error(errno, "cannot open folder `" + folder + "`"));
  }
  return each_name(fd.get(), [&](const std::string& name) -> Result<void> {
    struct stat status {};
    if (name.starts_with(k_unfinished)
        && ::fstatat(fd.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
        && static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000
               < time_ms - k_unfinished_age_ms) {
      (void)remove_tree(join_path(folder, name));
    }
    return {};
  });
}

Result<void> write_versions(const Objects& objects,
                            std::span<const Digest> losers,
                            const std::string& skill,
                            const std::string& reason,
                            const std::string& folder,
                            std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < losers.size(); ++i) {
    const Digest& loser = losers[i];
    auto earlier = std::ranges::find(losers.first(i), loser);
    if (earlier != losers.begin() + static_cast<std::ptrdiff_t>(i)) {
      names.push_back(names[static_cast<std::size_t>(earlier - losers.begin())]);
      continue;
    }
    std::string& name = names.emplace_back(loser.brief());
    Result<void> extracted = objects.extract(loser, join_path(folder, name));
    if (!extracted && extracted.error().code == ErrorCode::already_exists) {
      // Two versions whose hashes begin alike.
      name = loser.hex();
      extracted = objects.extract(loser, join_path(folder, name));
    }
    TRY(extracted);
    list += name + "/ is version " + loser.hex() + "\n";
  }
  return write_file_atomically(join_path(folder, "README.txt"),
                               "Versions of the skill `" + to_valid_utf8(skill)
                                   + "` that lost a conflict: " + to_valid_utf8(reason) + ".\n"
                                   + "`upskill sync conflicts` shows it, `upskill sync resolve`"
                                     " settles it. No agent reads this folder.\n\n"
                                   + list,
                               0644,
                               Durability::process_crash);
}

} // namespace

Result<KeptVersions> ConflictFolders::keep(const Objects& objects,
                                           std::span<const Digest> losers,
                                           const std::string& skill,
                                           const std::string& reason,
                                           std::int64_t time_ms) {
  TRY(make_directories(m_folder, 0700));
  TRY(sweep(m_folder, time_ms));
  std::string unfinished = join_path(m_folder, std::string(k_unfinished) + "XXXXXX");
  if (::mkdtemp(unfinished.data()) == nullptr) {
    return fail(system_error(errno, "cannot make a folder in `" + m_folder + "`"));
  }
  std::vector<std::string> names;
  Result<void> written = write_versions(objects, losers, skill, reason, unfinished, names);
  Result<std::string> folder =
      written ? claim_item_folder(
          m_folder,
          time_ms,
          skill,
          [&](const std::string& path) { return rename_to_new(unfinished, path).map([](bool) {}); })
              : Result<std::string>(fail(written.error()));
  if (!folder) {
    (void)remove_tree(unfinished);
    return fail(std::move(folder).error());
  }
  KeptVersions kept{.folder = std::move(*folder)};
  for (const std::string& name : names) {
    kept.stored.push_back(join_path(kept.folder, name));
  }
  return kept;
}

Result<void> ConflictFolders::remove(const std::string& folder) {
  struct stat status {};

  if (parent_path(folder) != m_folder || !is_item_name(base_name(folder))
      || ::lstat(folder.c_str(), &status) != 0) {
    return fail(ErrorCode::not_found, "`" + folder + "` holds no versions of a conflict");
  }
  return remove_tree(folder);
}

} // namespace upskill::store
