#include "skills/sync/put_skill.h"

#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/unique_fd.h"
#include "protocol/base/utf8.h"
#include "skills/library/names.h"
#include "skills/sync/stage.h"
#include "skills/sync/walk.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace upskill::sync {
namespace {

// Where a skill is to lie.
struct Place {
  std::string path;
  std::string root;
  std::string name;
};

// What lies there, as far as it may be replaced.
struct Found {
  std::optional<mode_t> empty_folder = {}; // its permissions
  std::optional<ReadResult> copy = {};
};

Result<Place> place_of(const std::string& folder) {
  if (!folder.starts_with('/') || folder.find('\0') != std::string::npos) {
    return fail(ErrorCode::invalid_argument, in_backticks(folder) + " is no absolute path");
  }
  Place place;
  place.path = normalized_path(folder, "/");
  place.root = parent_path(place.path);
  place.name = base_name(place.path);
  if (std::optional<std::string> why = library::refused_name(place.name)) {
    return fail(ErrorCode::invalid_argument,
                in_backticks(place.path) + " cannot be the folder of a skill: its name " + *why);
  }
  return place;
}

UniqueFd open_folder(const std::string& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

ReadResult read_at(const std::string& path, const ReadOptions& options = {}) {
  UniqueFd parent = open_folder(parent_path(path));
  return read_skill(parent.get(), base_name(path), options);
}

std::optional<mode_t> mode_of_empty_folder(const std::string& path) {
  UniqueFd folder(open_folder_at(AT_FDCWD, path.c_str()));
  FolderNames names;

  struct stat status {};

  bool is_empty = folder && ::fstat(folder.get(), &status) == 0 && names.read(folder.get())
                  && names.names().empty();
  return is_empty ? std::optional(status.st_mode & 0777) : std::nullopt;
}

Result<Found> look_at(const Place& place, const ReadOptions& options) {
  UniqueFd root = open_folder(place.root);
  if (!root) {
    return errno == ENOENT ? Result<Found>(Found{})
                           : fail(system_error(errno, "cannot open folder `" + place.root + "`"));
  }
  StatResult stat = stat_skill(root.get(), place.name);
  std::string what = in_backticks(place.path);
  switch (stat.presence) {
  case Presence::absent:
    return Found{};
  case Presence::link:
    return fail(ErrorCode::refused,
                what + " is a link to " + in_backticks(stat.link_target),
                "name the folder that it leads to");
  case Presence::incomplete:
    if (std::optional<mode_t> mode = mode_of_empty_folder(place.path)) {
      return Found{.empty_folder = mode};
    }
    return fail(ErrorCode::already_exists,
                what + " is there and is no skill",
                "choose another folder, or move what is in it away");
  case Presence::problem:
    if (stat.is_no_folder) {
      return fail(ErrorCode::already_exists, what + " is there and is no folder");
    }
    return fail(ErrorCode::io, what + " cannot be read: " + stat.problem);
  case Presence::copy:
    break;
  }
  Found found{.copy = read_skill(root.get(), place.name, options)};
  if (found.copy->stat.presence != Presence::copy) {
    return fail(ErrorCode::io, what + " cannot be read: " + found.copy->stat.problem);
  }
  return found;
}

Result<void>
check_expected(const Place& place, const Found& found, const std::optional<Digest>& expected) {
  if (!expected) {
    return !found.copy ? Result<void>{}
                       : fail(ErrorCode::already_exists,
                              in_backticks(place.path) + " holds a skill already");
  }
  return found.copy && found.copy->tree.hash() == *expected
             ? Result<void>{}
             : fail(ErrorCode::changed,
                    in_backticks(place.path) + " is not what it was any more",
                    "look at it, and try again");
}

// The folders above a target that were made for it, and go again unless it came.
class MadeFolders {
public:
  explicit MadeFolders(Filesystem& files)
      : m_files(files) {}

  Result<void> make(const std::string& path) {
    std::vector<std::string> missing;

    struct stat status {};

    for (std::string at = path; ::stat(at.c_str(), &status) != 0; at = parent_path(at)) {
      if (errno != ENOENT || at == "/") {
        return fail(system_error(errno, "cannot look at `" + at + "`"));
      }
      missing.push_back(at);
    }
    for (auto at = missing.rbegin(); at != missing.rend(); ++at) {
      Result<void> made = m_files.make_folder(*at, 0755);
      if (made) {
        m_made.push_back(*at);
      } else if (made.error().code != ErrorCode::already_exists) {
        remove();
        return made;
      }
    }
    return {};
  }

  // Those that are still empty.
  void remove() {
    for (auto at = m_made.rbegin(); at != m_made.rend(); ++at) {
      (void)m_files.remove_folder(*at);
    }
    m_made.clear();
  }

private:
  Filesystem& m_files;
  std::vector<std::string> m_made = {};
};

class Put {
public:
  Put(Filesystem& files, store::Trash& trash, Place place, const NewFiles& content, Tree tree)
      : m_files(files)
      , m_trash(trash)
      , m_place(std::move(place))
      , m_content(content)
      , m_tree(std::move(tree)) {}

  Result<PutOutcome> run(const std::optional<Digest>& expected, std::int64_t now_ms) {
    put_back();
    TRY_ASSIGN(Found found, look_at(m_place, {}));
    TRY(check_expected(m_place, found, expected));
    if (found.copy && found.copy->tree.hash() == m_tree.hash()) {
      return PutOutcome{m_tree.hash(), {}};
    }
    MadeFolders made(m_files);
    TRY(made.make(m_place.root));
    // What sync stages there it tidies away itself.
    bool is_shared = !Stager(m_files).leftovers(m_place.root).empty();
    Result<PutOutcome> outcome = write(found, now_ms);
    if (!is_shared && m_stager) {
      m_stager->tidy(m_place.root);
    }
    if (!outcome) {
      made.remove();
    }
    return outcome;
  }

private:
  // What a swap moved aside where a file system cannot exchange folders, and was killed then.
  void put_back() {
    for (const auto& [path, skill] : Stager(m_files).leftovers(m_place.root)) {
      if (skill == m_place.name && Stager::is_aside(path)) {
        (void)m_files.move(path, m_place.path); // refuses where something is in its place
      }
    }
  }

  Result<PutOutcome> write(const Found& found, std::int64_t now_ms) {
    TRY_ASSIGN(StagedCopy staged, stage(found));
    Result<void> ready = check(staged);
    if (ready) {
      ready = m_stager->sync();
    }
    std::optional<ExpectedCopy> expected;
    if (found.copy) {
      expected = ExpectedCopy{found.copy->tree.hash(), found.copy->stat.fingerprint};
    }
    if (ready && found.empty_folder) {
      ready = m_files.remove_folder(m_place.path);
    }
    if (!ready) {
      (void)m_files.remove_tree(staged.path); // the first failure is the one to tell
      return fail(std::move(ready).error());
    }
    Result<std::optional<Displaced>> swapped =
        m_stager->swap_in(m_place.root, m_place.name, staged, expected);
    if (!swapped) {
      if (found.empty_folder) {
        (void)m_files.make_folder(m_place.path, *found.empty_folder);
      }
      return swapped.error().code == ErrorCode::changed
                 ? fail(ErrorCode::changed,
                        in_backticks(m_place.path) + " changed while it was being written",
                        "look at it, and try again")
                 : fail(std::move(swapped).error());
    }
    PutOutcome outcome{m_tree.hash(), {}};
    if (*swapped) {
      TRY_ASSIGN(outcome.replaced, throw_away(**swapped, now_ms));
    }
    return outcome;
  }

  Result<StagedCopy> stage(const Found& found) {
    CopyModes modes(m_tree);
    if (found.copy) {
      modes.follow(*found.copy, m_tree);
    } else {
      modes.follow_root(m_place.root);
    }
    auto bytes_of = [&](std::size_t index) -> Result<std::string> {
      return m_content.find(m_tree.entries()[index].path)->second.bytes;
    };
    m_stager.emplace(m_files);
    return m_stager->stage(m_place.root, m_place.name, m_tree, modes, bytes_of);
  }

  // As sync would read it: also names that cannot lie beside each other everywhere.
  Result<void> check(const StagedCopy& staged) const {
    ReadResult read = read_at(staged.path);
    if (read.stat.presence == Presence::copy && read.tree.hash() == m_tree.hash()) {
      return {};
    }
    return read.stat.problem.empty()
               ? fail(ErrorCode::io,
                      "what was written for " + in_backticks(m_place.path)
                          + " does not read back the same",
                      "check the disk")
               : fail(ErrorCode::invalid_argument, "this is no skill: " + read.stat.problem);
  }

  Result<std::string> throw_away(const Displaced& displaced, std::int64_t now_ms) {
    store::TrashOrigin origin;
    origin.path = m_place.path;
    origin.skill = m_place.name;
    origin.reason = "replaced by a new version";
    origin.hash = displaced.hash.hex();
    origin.time_ms = now_ms;
    Result<store::TrashItem> item = m_trash.take(displaced.path, origin);
    if (item) {
      return item->content();
    }
    Error error = std::move(item).error();
    if (!take_back(displaced)) {
      error.message += "; the new version is in place, the one before it lies in "
                       + in_backticks(displaced.path) + " or in the trash";
    }
    return fail(std::move(error));
  }

  // Only where it is still whole: the trash may have it, and have removed some of it.
  bool take_back(const Displaced& displaced) {
    ReadResult old = read_at(displaced.path);
    if (old.stat.presence != Presence::copy || old.tree.hash() != displaced.hash
        || !m_files.exchange(displaced.path, m_place.path)) {
      return false;
    }
    ReadResult own = read_at(displaced.path);
    m_stager->carry_ignored(displaced.path, m_place.path, own);
    if (own.tree.hash() == m_tree.hash()) {
      (void)m_files.remove_tree(displaced.path); // what is left beside a root does no harm
    }
    return true;
  }

  Filesystem& m_files;
  store::Trash& m_trash;
  Place m_place;
  const NewFiles& m_content;
  Tree m_tree;
  std::optional<Stager> m_stager = {};
};

} // namespace

Result<PutOutcome> put_skill(Filesystem& files,
                             store::Trash& trash,
                             const std::string& folder,
                             const NewFiles& content,
                             const std::optional<Digest>& expected,
                             std::int64_t now_ms) {
  TRY_ASSIGN(Place place, place_of(folder));
  TRY_ASSIGN(Tree tree, tree_of(content));
  return Put(files, trash, std::move(place), content, std::move(tree)).run(expected, now_ms);
}

Result<std::optional<PlacedSkill>> read_placed(const std::string& folder) {
  TRY_ASSIGN(Place place, place_of(folder));
  TRY_ASSIGN(Found found, look_at(place, {.keep_contents = true, .keep_limit = k_max_placed}));
  if (!found.copy) {
    return std::nullopt;
  }
  const std::vector<Entry>& entries = found.copy->tree.entries();
  if (found.copy->contents.size() != entries.size()) {
    return fail(ErrorCode::too_large,
                in_backticks(place.path) + " is over 64 MiB",
                "move what is large out of the skill");
  }
  PlacedSkill placed{.hash = found.copy->tree.hash()};
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].kind != EntryKind::folder) {
      placed.files[entries[i].path] = {std::move(found.copy->contents[i]),
                                       entries[i].kind == EntryKind::executable,
                                       entries[i].target};
    }
  }
  return placed;
}

} // namespace upskill::sync
