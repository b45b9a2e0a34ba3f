#include "skills/store/objects.h"

#include "protocol/base/atomic_file.h"
#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "skills/store/folder_tree.h"
#include "skills/store/object_end.h"
#include "skills/store/object_writer.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::store {
namespace {

constexpr std::string_view k_suffix = ".tar";
constexpr std::string_view k_damaged = ".tar.damaged";

std::string relative_name(const Digest& digest) {
  std::string hex = digest.hex();
  return hex.substr(0, 2) + "/" + hex.substr(2) + std::string(k_suffix);
}

constexpr int k_read_flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

Result<void> check_entries(std::span<const ObjectEntry> entries) {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ObjectEntry& entry = entries[i];
    TRY(check_object_entry(entry.path, entry.kind, entry.size, entry.target));
    if (i > 0 && entry.path <= entries[i - 1].path) {
      return fail(ErrorCode::invalid_argument, "the entries of a version are out of order");
    }
    total += entry.size;
  }
  if (entries.size() > k_max_skill_entries || total > k_max_skill_bytes) {
    return fail(ErrorCode::too_large,
                "the version holds more than " + std::to_string(k_max_skill_entries)
                    + " files and folders or " + std::to_string(k_max_skill_bytes) + " bytes");
  }
  return {};
}

// The digest that a file of our folders is named by.
std::optional<Digest>
digest_of(std::string_view folder, std::string_view name, std::string_view suffix) {
  if (folder.size() != 2 || !name.ends_with(suffix)) {
    return std::nullopt;
  }
  name.remove_suffix(suffix.size());
  return Digest::from_hex(std::string(folder) + std::string(name));
}

std::int64_t modified_ms(const struct stat& status) {
  return static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000
         + status.st_mtim.tv_nsec / 1'000'000;
}

} // namespace

Result<Objects> Objects::open(const std::string& folder) {
  TRY(make_directories(folder, 0700));
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) {
    return fail(system_error(errno, "cannot open folder `" + folder + "`"));
  }
  TRY(PutFolder::sweep(fd.get()));
  return Objects(folder, std::move(fd));
}

Result<void> Objects::put(const Digest& tree_hash,
                          std::span<const ObjectEntry> entries,
                          const OpenEntry& open_entry) {
  TRY(check_entries(entries));
  std::string name = relative_name(tree_hash);

  // One that was cut off by a power failure before flush() is written anew.
  if (auto size = whole_size(name); size && *size == object_size(entries)) {
    // Counts as put now, for remove_unreferenced.
    (void)::utimensat(m_fd.get(), name.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
    return {};
  }
  TRY_ASSIGN(Place place, write_new(entries, open_entry));
  Result<void> named = give_name(place, name);
  if (!named) {
    ::unlinkat(place.folder->fd(), place.name.c_str(), 0);
  }
  return named;
}

Result<Objects::Place> Objects::new_place(const PutFolder* gone) {
  return m_put_folder.with([&](std::shared_ptr<PutFolder>& folder) -> Result<Place> {
    if (!folder || folder.get() == gone) {
      TRY_ASSIGN(PutFolder made, PutFolder::make(m_folder));
      folder = std::make_shared<PutFolder>(std::move(made));
    }
    return Place{folder, folder->next_name()};
  });
}

// On failure nothing stays.
Result<Objects::Place> Objects::write_new(std::span<const ObjectEntry> entries,
                                          const OpenEntry& open_entry) {
  constexpr int k_flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  auto open_at = [](const Place& place) {
    return UniqueFd(::openat(place.folder->fd(), place.name.c_str(), k_flags, 0600));
  };
  TRY_ASSIGN(Place place, new_place());
  UniqueFd file = open_at(place);
  if (!file && errno == ENOENT) { // somebody tidied up by hand
    TRY_ASSIGN(place, new_place(place.folder.get()));
    file = open_at(place);
  }
  if (!file) {
    return cannot_keep();
  }
  if (Result<void> written = write_object(file.get(), entries, open_entry); !written) {
    ::unlinkat(place.folder->fd(), place.name.c_str(), 0);
    return fail(std::move(written).error());
  }
  return place;
}

Result<void> Objects::give_name(const Place& place, const std::string& name) {
  auto rename = [&] {
    return ::renameat(place.folder->fd(), place.name.c_str(), m_fd.get(), name.c_str()) == 0;
  };
  if (rename()) {
    return {};
  }
  if (errno != ENOENT
      || (::mkdirat(m_fd.get(), name.substr(0, 2).c_str(), 0700) != 0 && errno != EEXIST)
      || !rename()) {
    return cannot_keep();
  }
  return {};
}

tl::unexpected<Error> Objects::cannot_keep() const {
  return fail(system_error(errno, "cannot keep a version in `" + m_folder + "`"));
}

Result<void> Objects::flush() {
  return ::syncfs(m_fd.get()) == 0 ? Result<void>{}
                                   : fail(system_error(errno, "cannot sync `" + m_folder + "`"));
}

// Nothing: there is none, or not all of it.
std::optional<std::uint64_t> Objects::whole_size(const std::string& name) const {
  UniqueFd file(::openat(m_fd.get(), name.c_str(), k_read_flags));
  return file ? whole_object_size(file.get()) : std::nullopt;
}

bool Objects::contains(const Digest& tree_hash) const {
  return whole_size(relative_name(tree_hash)).has_value();
}

Result<ObjectReader> Objects::open_object(const Digest& tree_hash) const {
  std::string name = relative_name(tree_hash);
  UniqueFd file(::openat(m_fd.get(), name.c_str(), k_read_flags));
  if (!file) {
    return fail(system_error(errno, "cannot read stored version `" + path_of(tree_hash) + "`"));
  }
  return ObjectReader::open(std::move(file), path_of(tree_hash));
}

Result<std::string> Objects::read_file(const Digest& tree_hash, std::string_view path) const {
  TRY_ASSIGN(ObjectReader reader, open_object(tree_hash));
  for (;;) {
    TRY_ASSIGN(std::optional<ObjectMember> member, reader.next());
    // Members are sorted.
    if (!member || member->path > path) {
      break;
    }
    if (member->path == path
        && (member->kind == ObjectKind::file || member->kind == ObjectKind::executable)) {
      return reader.bytes();
    }
  }
  return fail(ErrorCode::not_found,
              "version `" + tree_hash.brief() + "` has no file `" + std::string(path) + "`");
}

std::string Objects::path_of(const Digest& tree_hash) const {
  return join_path(m_folder, relative_name(tree_hash));
}

Result<void> Objects::set_aside(const Digest& tree_hash) {
  std::string name = relative_name(tree_hash);
  std::string aside = name.substr(0, name.size() - k_suffix.size()) + std::string(k_damaged);
  return ::renameat(m_fd.get(), name.c_str(), m_fd.get(), aside.c_str()) == 0
             ? Result<void>{}
             : fail(system_error(errno, "cannot move `" + path_of(tree_hash) + "` aside"));
}

Result<RemovedObjects> Objects::remove_unreferenced(const std::unordered_set<Digest>& live,
                                                    std::int64_t before_ms) {
  RemovedObjects removed;
  TRY(each_name(m_fd.get(), [&](const std::string& folder_name) -> Result<void> {
    if (folder_name.size() != 2) {
      return {};
    }
    UniqueFd folder(
        ::openat(m_fd.get(), folder_name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder) {
      return {};
    }
    return each_name(folder.get(), [&](const std::string& name) -> Result<void> {
      std::optional<Digest> digest = digest_of(folder_name, name, k_suffix);
      // A damaged one is no version any more; it stays its time for who wants to look at it.
      bool unwanted =
          digest ? !live.contains(*digest) : digest_of(folder_name, name, k_damaged).has_value();
      struct stat status {};
      if (!unwanted || ::fstatat(folder.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0
          || modified_ms(status) >= before_ms) {
        return {};
      }
      if (::unlinkat(folder.get(), name.c_str(), 0) != 0) {
        return fail(system_error(errno, "cannot remove `" + name + "` in `" + m_folder + "`"));
      }
      ++removed.count;
      removed.bytes += static_cast<std::uint64_t>(status.st_size);
      return {};
    });
  }));
  return removed;
}

} // namespace upskill::store
