#include "skills/store/trash.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "skills/store/folder_tree.h"
#include "skills/store/item_folder.h"
#include "skills/store/timestamp.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <tuple>

namespace upskill::store {
namespace {

constexpr std::size_t k_max_origin = 256u << 10;
// An item without content may be a move that is under way.
constexpr std::int64_t k_leftover_age_ms = 3'600'000;

bool exists(const std::string& path) {
  struct stat status {};

  return ::lstat(path.c_str(), &status) == 0;
}

Result<void> make_folder(const std::string& path) {
  return ::mkdir(path.c_str(), 0700) == 0
             ? Result<void>{}
             : fail(system_error(errno, "cannot make folder `" + path + "`"));
}

Result<void> sync_file_system(const std::string& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return fd && ::syncfs(fd.get()) == 0 ? Result<void>{}
                                       : fail(system_error(errno, "cannot sync `" + folder + "`"));
}

Result<void> copy_durably(const std::string& from, const std::string& to) {
  TRY(copy_tree(from, to));
  TRY(sync_file_system(parent_path(to)));
  // Last, so that the time in which an edit could slip through is short.
  return compare_trees(from, to);
}

// To a path that does not exist. When this fails, all of it is still at `from`; only when removing
// the old one fails is it in both places.
Result<void> move(const std::string& from, const std::string& to) {
  TRY_ASSIGN(bool renamed, rename_to_new(from, to));
  if (renamed) {
    return {};
  }
  if (exists(to)) {
    return fail(ErrorCode::already_exists, "`" + to + "` exists");
  }
  Result<void> copied = copy_durably(from, to);
  if (!copied) {
    (void)remove_tree(to);
    return copied;
  }
  return remove_tree(from);
}

TrashItem read_item(const std::string& folder, const std::string& name) {
  TrashItem item{.name = name, .folder = join_path(folder, name), .origin = {}};
  Result<std::string> text = read_file(join_path(item.folder, "origin.json"), k_max_origin);
  Result<TrashOrigin> origin = text ? parse_origin(*text) : fail(text.error());
  if (origin) {
    item.origin = std::move(*origin);
  } else {
    item.origin.skill = name.substr(17, name.rfind('-') - 17);
    item.origin.time_ms = time_of_name(name).value_or(0);
  }
  item.has_content = exists(item.content());
  return item;
}

// The content first: what is left of an interrupted removal is seen to be no whole item.
Result<void> remove_item(const TrashItem& item) {
  TRY(remove_tree(item.content()));
  return remove_tree(item.folder);
}

} // namespace

Result<TrashItem> Trash::take(const TrashOrigin& origin) {
  return take(origin.path, origin);
}

Result<TrashItem> Trash::take(const std::string& from, const TrashOrigin& origin) {
  if (!exists(from)) {
    return fail(system_error(errno, "cannot move `" + from + "` to the trash"));
  }
  if (is_inside(normalized_path(m_folder, "/"), normalized_path(from, "/"))) {
    return fail(ErrorCode::invalid_argument, "`" + from + "` holds the trash itself");
  }
  TRY(make_directories(m_folder, 0700));
  TrashItem item;
  TRY_ASSIGN(item.folder, claim_item_folder(m_folder, origin.time_ms, origin.skill, make_folder));
  item.name = base_name(item.folder);
  item.origin = origin;
  // Not synced: should it be lost, the item still has its name, and the content its bytes.
  Result<void> moved = write_file_atomically(
      join_path(item.folder, "origin.json"), write_origin(origin), 0600, Durability::process_crash);
  if (moved) {
    moved = move(from, item.content());
  }
  if (!moved) {
    // With content, removing the old one failed half-way: then this is the whole one.
    if (!exists(item.content())) {
      (void)remove_tree(item.folder);
    }
    return fail(std::move(moved).error());
  }
  mind_size(item);
  return item;
}

// One folder is measured for each that comes in, all of them only at first and when there are too
// many. Some room is made then, so that not each one that follows measures all of them again.
// Failing at it is no failure to take: the daily purge tells of it.
void Trash::mind_size(const TrashItem& taken) {
  if (m_bytes) {
    *m_bytes += tree_bytes(taken.folder).value_or(0);
  }
  if (m_bytes && *m_bytes <= m_limits.bytes) {
    return;
  }
  constexpr std::int64_t k_any_age = std::numeric_limits<std::int64_t>::max();
  std::uint64_t limit = m_bytes ? m_limits.bytes - m_limits.bytes / 16 : m_limits.bytes;
  (void)shrink(taken.origin.time_ms, {.age_ms = k_any_age, .bytes = limit}, taken.name);
}

Result<std::vector<TrashItem>> Trash::list() const {
  std::vector<TrashItem> items;
  UniqueFd folder(::open(m_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) {
    return errno == ENOENT ? Result<std::vector<TrashItem>>(std::move(items))
                           : fail(system_error(errno, "cannot open the trash `" + m_folder + "`"));
  }
  TRY(each_name(folder.get(), [&](const std::string& name) -> Result<void> {
    struct stat status {};
    if (is_item_name(name)
        && ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0
        && S_ISDIR(status.st_mode)) {
      items.push_back(read_item(m_folder, name));
    }
    return {};
  }));
  std::ranges::sort(
      items, {}, [](const TrashItem& item) { return std::tie(item.origin.time_ms, item.name); });
  return items;
}

Result<Purged> Trash::purge(std::int64_t now_ms) {
  return shrink(now_ms, m_limits, {});
}

// `keep` is the name of an item that stays whatever its size; empty: the newest.
Result<Purged>
Trash::shrink(std::int64_t now_ms, const TrashLimits& limits, const std::string& keep) {
  TRY_ASSIGN(std::vector<TrashItem> items, list());
  Purged purged;
  std::vector<std::uint64_t> sizes(items.size());
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    Result<std::uint64_t> bytes = tree_bytes(items[i].folder);
    if (bytes) {
      sizes[i] = *bytes;
      total += *bytes;
    } else {
      purged.problems.push_back(std::move(bytes).error());
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const TrashItem& item = items[i];
    std::int64_t age = now_ms - item.origin.time_ms;
    bool stays = keep.empty() ? i + 1 == items.size() : item.name == keep;
    if (age <= limits.age_ms && (stays || total <= limits.bytes)
        && (item.has_content || age <= k_leftover_age_ms)) {
      continue;
    }
    Result<void> removed = remove_item(item);
    if (!removed) {
      purged.problems.push_back(std::move(removed).error());
      continue;
    }
    ++purged.count;
    purged.bytes += sizes[i];
    total -= sizes[i];
  }
  m_bytes = total;
  return purged;
}

} // namespace upskill::store
