#include "skills/sync/stage.h"

#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "skills/sync/stage_name.h"
#include "skills/sync/stored_names.h"
#include "skills/sync/walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <set>

namespace upskill::sync {
namespace {

constexpr std::uint64_t k_most_counted = std::uint64_t{1} << 62;
constexpr std::string_view k_git_ignore = ".gitignore";
constexpr int k_attempts = 20; // to find a name that nobody else has

// Whether something can be moved from one folder to the other: not where a part of a file system is
// mounted upon itself.
bool same_mount(const std::string& a, const std::string& b) {
  struct statx first {};

  struct statx second {};

  return ::statx(AT_FDCWD, a.c_str(), 0, STATX_MNT_ID, &first) == 0
         && ::statx(AT_FDCWD, b.c_str(), 0, STATX_MNT_ID, &second) == 0
         && first.stx_dev_major == second.stx_dev_major
         && first.stx_dev_minor == second.stx_dev_minor && first.stx_mnt_id == second.stx_mnt_id;
}

tl::unexpected<Error> changed(const std::string& path) {
  return fail(ErrorCode::changed, "`" + path + "` changed while it was being synchronised");
}

} // namespace

Result<std::string> Stager::folder_of(const std::string& root) {
  auto known = m_folders.find(root);
  if (known != m_folders.end() && (known->second.checked || same_mount(known->second.path, root))) {
    known->second.checked = true;
    return known->second.path;
  }
  std::string parent = parent_path(root);
  std::string inside = join_path(root, k_folder_name);
  std::string beside = join_path(parent, k_folder_name);
  Error last;
  for (const std::string& folder : {beside, inside}) {
    if (folder == beside && !same_mount(parent, root)) {
      continue;
    }
    auto made = m_files.make_folder(folder, 0700);

    struct stat status {};

    if ((made || made.error().code == ErrorCode::already_exists)
        && ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode)
        && same_mount(folder, root)) {
      hide_from_git(folder);
      m_folders.insert_or_assign(root, StageFolder{folder, true});
      count_on_from(folder);
      return folder;
    }
    if (!made) {
      last = made.error();
    }
  }
  return fail(last.message.empty()
                  ? Error{ErrorCode::permission, "cannot stage beside `" + root + "`", {}}
                  : last);
}

// Or `git add -A` in the minute in which a replaced folder lingers would take it along.
void Stager::hide_from_git(const std::string& folder) {
  const std::string path = join_path(folder, k_git_ignore);
  if (::access(path.c_str(), F_OK) != 0) {
    UniqueFd in(open_folder_at(AT_FDCWD, folder.c_str()));
    (void)m_files.write_file({path, in.get(), folder.size() + 1}, "*\n", 0600);
  }
}

void Stager::begin_round() {
  for (auto& [root, folder] : m_folders) {
    folder.checked = false;
  }
}

// So that no name is taken: an interrupted run may have left some.
void Stager::count_on_from(const std::string& folder) {
  UniqueFd fd(open_folder_at(AT_FDCWD, folder.c_str()));
  FolderNames names;
  if (!fd || !names.read(fd.get())) {
    return;
  }
  for (const FolderNames::Name& name : names.names()) {
    std::string_view text = names.view(name);
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    // A number that nobody counts to is not ours.
    m_sequence = number < k_most_counted ? std::max(m_sequence, number) : m_sequence;
  }
}

Result<std::string> Stager::fresh_path(const std::string& root, const std::string& skill) {
  TRY_ASSIGN(std::string folder, folder_of(root));
  std::string path = folder + "/" + std::to_string(++m_sequence);
  std::string_view name = fitting_name(skill);
  if (name.size() < skill.size()) {
    TRY(m_files.make_link(skill, path + std::string(k_name_link)));
  }
  path += '.';
  path += name;
  return path;
}

// Somebody else who stages beside the same root counts as well, so that a name which is taken is
// theirs and stays; and they may tidy the stage folder away before something lies in it.
Result<std::string>
Stager::fresh_folder(const std::string& root, const std::string& skill, mode_t mode) {
  for (int attempt = 1;; ++attempt) {
    Result<std::string> path = fresh_path(root, skill);
    Result<void> made = path ? m_files.make_folder(*path, mode) : fail(path.error());
    if (made) {
      return path;
    }
    bool is_gone = made.error().code == ErrorCode::not_found;
    if ((!is_gone && made.error().code != ErrorCode::already_exists) || attempt == k_attempts) {
      return fail(made.error());
    }
    if (is_gone) {
      m_folders.erase(root);
    }
  }
}

ReadResult Stager::read(const std::string& path) const {
  UniqueFd folder(::open(parent_path(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return read_skill(folder.get(), base_name(path), {});
}

Result<void> Stager::write(const std::string& path,
                           const Tree& tree,
                           const CopyModes& modes,
                           const EntryBytes& bytes_of) const {
  UniqueFd folder(open_folder_at(AT_FDCWD, path.c_str()));
  if (!folder) {
    return fail(system_error(errno, "cannot open folder `" + path + "`"));
  }
  const std::vector<Entry>& entries = tree.entries();
  // Sorted by path, so that a folder comes before what lies in it.
  std::string place = path + "/";
  const std::size_t below = place.size();
  const bool is_kept = keeps_modes(folder.get());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    place.replace(below, std::string::npos, entry.path);
    if (entry.kind == EntryKind::folder) {
      TRY(m_files.make_folder(place, modes.of(i)));
    } else if (entry.kind == EntryKind::link) {
      TRY(m_files.make_link(entry.target, place));
    } else {
      TRY_ASSIGN(std::string bytes, bytes_of(i));
      TRY(m_files.write_file({place, folder.get(), below, is_kept}, bytes, modes.of(i)));
    }
  }
  if (!has_all_names(folder.get(), tree)) {
    return fail(ErrorCode::io,
                "what was written to `" + path + "` does not read back the same",
                "check the disk");
  }
  return {};
}

Result<StagedCopy> Stager::stage(const std::string& root,
                                 const std::string& skill,
                                 const Tree& tree,
                                 const CopyModes& modes,
                                 const EntryBytes& bytes_of) {
  TRY_ASSIGN(std::string path, stage_folder(root, skill, modes));
  TRY(fill(path, tree, modes, bytes_of));
  return StagedCopy{std::move(path), tree.hash()};
}

Result<std::string>
Stager::stage_folder(const std::string& root, const std::string& skill, const CopyModes& modes) {
  TRY_ASSIGN(std::string path, fresh_folder(root, skill, modes.folder()));
  m_unsynced.insert(root);
  return path;
}

Result<void> Stager::fill(const std::string& path,
                          const Tree& tree,
                          const CopyModes& modes,
                          const EntryBytes& bytes_of) const {
  Result<void> written = write(path, tree, modes, bytes_of);
  if (!written) {
    (void)m_files.remove_tree(path); // the first failure is the one to tell
  }
  return written;
}

Result<StagedCopy>
Stager::stage_link(const std::string& root, const std::string& skill, const std::string& target) {
  TRY_ASSIGN(std::string path, fresh_path(root, skill));
  TRY(m_files.make_link(target, path));
  return StagedCopy{path, {}};
}

void Stager::put_back() {
  std::erase_if(m_asides, [&](const Aside& one) {
    auto moved = m_files.move(one.path, one.target);
    return moved || moved.error().code == ErrorCode::already_exists
           || moved.error().code == ErrorCode::not_found;
  });
}

bool Stager::is_missing_some(std::string_view root) const {
  return std::ranges::any_of(m_asides,
                             [&](const Aside& one) { return parent_path(one.target) == root; });
}

bool Stager::is_aside(std::string_view path) {
  std::string_view name = base_name(path);
  return name.substr(0, name.find('.')).ends_with(k_aside);
}

Result<void> Stager::exchange(const std::string& staged, const std::string& target) {
  Result<void> swapped = m_files.exchange(staged, target);
  if (swapped || swapped.error().code != ErrorCode::unsupported) {
    return swapped;
  }
  std::string_view name = base_name(staged);
  std::string aside = join_path(parent_path(staged), name.substr(0, name.find('.')));
  aside += k_aside;
  aside += name.substr(name.find('.'));
  TRY(m_files.move(target, aside));
  if (auto placed = m_files.move(staged, target); !placed) {
    m_asides.push_back({aside, target});
    put_back();
    return placed;
  }
  return m_files.move(aside, staged);
}

Result<std::optional<Displaced>> Stager::swap_in(const std::string& root,
                                                 const std::string& skill,
                                                 const StagedCopy& staged,
                                                 const std::optional<ExpectedCopy>& expected) {
  std::string target = join_path(root, skill);
  if (!expected) {
    if (auto moved = m_files.move(staged.path, target); !moved) {
      bool appeared = moved.error().code == ErrorCode::already_exists;
      (void)m_files.remove_tree(staged.path);
      return appeared ? changed(target) : fail(moved.error());
    }
    return std::optional<Displaced>();
  }
  UniqueFd folder(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (stat_skill(folder.get(), skill).fingerprint != expected->fingerprint) {
    (void)m_files.remove_tree(staged.path);
    return changed(target);
  }
  if (auto swapped = exchange(staged.path, target); !swapped) {
    (void)m_files.remove_tree(staged.path);
    return fail(swapped.error());
  }
  ReadResult displaced = read(staged.path);
  if (displaced.stat.presence != Presence::copy || displaced.tree.hash() != expected->hash) {
    TRY(exchange(staged.path, target));
    // What comes back is our own copy, unless somebody edited that in the moment it was there; then
    // it is kept for the caller to find among the leftovers.
    ReadResult own = read(staged.path);
    if (own.stat.presence == Presence::copy && own.tree.hash() == staged.hash) {
      (void)m_files.remove_tree(staged.path);
    }
    return changed(target);
  }
  carry_ignored(staged.path, target, displaced);
  return Displaced{staged.path, expected->hash};
}

Result<Displaced>
Stager::take_out(const std::string& root, const std::string& skill, const ExpectedCopy& expected) {
  std::string target = join_path(root, skill);
  TRY_ASSIGN(std::string path, fresh_path(root, skill));
  TRY(m_files.move(target, path));
  ReadResult displaced = read(path);
  if (displaced.stat.presence != Presence::copy || displaced.tree.hash() != expected.hash) {
    m_asides.push_back({path, target});
    put_back();
    return changed(target);
  }
  return Displaced{path, expected.hash};
}

Result<void> Stager::remove_link(const std::string& root, const std::string& skill) {
  std::string target = join_path(root, skill);

  struct stat status {};

  if (::lstat(target.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) {
    return changed(target);
  }
  return m_files.remove_file(target);
}

void Stager::carry_ignored(const std::string& from,
                           const std::string& to,
                           const ReadResult& displaced) {
  for (const std::string& path : displaced.ignored) {
    // Where the new version has no such folder any more it stays with the old one, which is kept.
    Aside ignored = {join_path(from, path), join_path(to, path)};
    auto moved = m_files.move(ignored.path, ignored.target);
    if (!moved && moved.error().code != ErrorCode::not_found
        && moved.error().code != ErrorCode::already_exists) {
      m_asides.push_back(std::move(ignored)); // tried again with the next round
    }
  }
}

std::vector<std::pair<std::string, std::string>> Stager::leftovers(const std::string& root) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& folder :
       {join_path(parent_path(root), k_folder_name), join_path(root, k_folder_name)}) {
    UniqueFd fd(open_folder_at(AT_FDCWD, folder.c_str()));
    FolderNames names;
    if (!fd || !names.read(fd.get())) {
      continue;
    }
    for (const FolderNames::Name& name : names.names()) {
      std::string_view text = names.view(name);
      if (text != k_git_ignore && text.find('.') != std::string_view::npos) {
        found.emplace_back(join_path(folder, text), whole_name(fd.get(), text));
      }
    }
  }
  return found;
}

void Stager::tidy(const std::string& root) {
  for (const std::string& folder :
       {join_path(parent_path(root), k_folder_name), join_path(root, k_folder_name)}) {
    struct stat status {};

    if (::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) {
      for (const std::string& link : unused_name_links(folder)) {
        (void)m_files.remove_file(link);
      }
      FolderNames left;
      UniqueFd fd(open_folder_at(AT_FDCWD, folder.c_str()));
      if (fd && left.read(fd.get()) && left.names().size() == 1
          && left.view(left.names().front()) == k_git_ignore) {
        (void)m_files.remove_file(join_path(folder, k_git_ignore));
      }
      (void)m_files.remove_folder(folder); // refuses unless it is empty
    }
  }
  m_folders.erase(root);
}

Result<void> Stager::sync() {
  std::set<dev_t> synced;
  for (const std::string& folder : std::exchange(m_unsynced, {})) {
    struct stat status {};

    if (::stat(folder.c_str(), &status) == 0 && synced.insert(status.st_dev).second) {
      TRY(m_files.sync_all(folder));
    }
  }
  return {};
}

} // namespace upskill::sync
