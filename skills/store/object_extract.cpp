#include "protocol/base/paths.h"
#include "skills/store/folder_tree.h"
#include "skills/store/objects.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace upskill::store {
namespace {

// The folder that `path` lies in, below `top`, made where it is missing. O_NOFOLLOW at each step:
// an object whose link is followed by a file below that link must not lead out.
Result<UniqueFd> open_parent(int top, std::string_view path) {
  UniqueFd folder(::openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::size_t slash = path.find('/'); folder && slash != std::string_view::npos;
       slash = path.find('/')) {
    std::string part(path.substr(0, slash));
    path.remove_prefix(slash + 1);
    if (::mkdirat(folder.get(), part.c_str(), 0755) != 0 && errno != EEXIST) {
      return fail(system_error(errno, "cannot make folder `" + part + "`"));
    }
    folder.reset(
        ::openat(folder.get(), part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return folder ? Result<UniqueFd>(std::move(folder))
                : fail(system_error(errno, "cannot open a folder of the version"));
}

Result<void> write_file(ObjectReader& reader, int folder, const std::string& name, mode_t mode) {
  UniqueFd file(
      ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) {
    return fail(system_error(errno, "cannot make `" + name + "`"));
  }
  TRY(reader.each_piece([&](std::string_view piece) -> Result<void> {
    while (!piece.empty()) {
      ssize_t written = ::write(file.get(), piece.data(), piece.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written < 0) {
        return fail(system_error(errno, "cannot write `" + name + "`"));
      }
      piece.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
  }));
  // Whatever the umask says.
  return ::fchmod(file.get(), mode) == 0
             ? Result<void>{}
             : fail(system_error(errno, "cannot set the mode of `" + name + "`"));
}

Result<void> extract_member(ObjectReader& reader, const ObjectMember& member, int top) {
  TRY_ASSIGN(UniqueFd parent, open_parent(top, member.path));
  std::string name(base_name(member.path));
  switch (member.kind) {
  case ObjectKind::folder:
    return ::mkdirat(parent.get(), name.c_str(), 0755) == 0
               ? Result<void>{}
               : fail(system_error(errno, "cannot make folder `" + name + "`"));
  case ObjectKind::link:
    return ::symlinkat(member.target.c_str(), parent.get(), name.c_str()) == 0
               ? Result<void>{}
               : fail(system_error(errno, "cannot make link `" + name + "`"));
  case ObjectKind::file:
    return write_file(reader, parent.get(), name, 0644);
  case ObjectKind::executable:
    return write_file(reader, parent.get(), name, 0755);
  }
  return {};
}

Result<void> extract_all(ObjectReader& reader, const std::string& into) {
  UniqueFd top(::open(into.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!top) {
    return fail(system_error(errno, "cannot open folder `" + into + "`"));
  }
  for (;;) {
    TRY_ASSIGN(std::optional<ObjectMember> member, reader.next());
    if (!member) {
      return {};
    }
    TRY(extract_member(reader, *member, top.get()));
  }
}

} // namespace

Result<void> Objects::extract(const Digest& tree_hash, const std::string& into) const {
  TRY_ASSIGN(ObjectReader reader, open_object(tree_hash));
  if (::mkdir(into.c_str(), 0755) != 0) {
    return fail(system_error(errno, "cannot make folder `" + into + "`"));
  }
  Result<void> extracted = extract_all(reader, into);
  if (!extracted) {
    (void)remove_tree(into);
  }
  return extracted;
}

} // namespace upskill::store
