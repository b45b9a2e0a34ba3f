#include "skills/sync/stored_names.h"

#include "protocol/base/unique_fd.h"
#include "skills/sync/walk.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>

namespace upskill::sync {
namespace {

bool is_kind(EntryKind kind, std::uint8_t type) {
  switch (kind) {
  case EntryKind::folder:
    return type == DT_DIR;
  case EntryKind::link:
    return type == DT_LNK;
  case EntryKind::file:
  case EntryKind::executable:
    return type == DT_REG;
  }
  return false;
}

// How many names lie at and below this folder; nothing when one of them is not of the tree. Bytes
// and modes were compared as they were written, and links are made in one step: what is left is a
// file system that changes names.
std::optional<std::size_t> count_names(int folder, const std::string& prefix, const Tree& tree) {
  FolderNames names;
  if (!names.read(folder)) {
    return std::nullopt;
  }
  std::size_t count = names.names().size();
  for (const FolderNames::Name& name : names.names()) {
    std::string path = prefix + names.text(name);
    const Entry* entry = tree.find(path);
    // Some file systems do not say the kind.
    if (entry == nullptr || (name.type != DT_UNKNOWN && !is_kind(entry->kind, name.type))) {
      return std::nullopt;
    }
    if (entry->kind != EntryKind::folder) {
      continue;
    }
    UniqueFd below(open_folder_at(folder, names.text(name)));
    path += '/';
    std::optional<std::size_t> more = below ? count_names(below.get(), path, tree) : std::nullopt;
    if (!more) {
      return std::nullopt;
    }
    count += *more;
  }
  return count;
}

// Whether some file system may store one of these names as another: one that is not plain ASCII by
// its normal form, one that ends in a dot without it. (Names that differ in case only are no tree.)
// A plain name that was made anew is there under that name.
bool has_names_to_check(const Tree& tree) {
  auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
           || c == '_' || c == '.';
  };
  return std::ranges::any_of(tree.entries(), [&](const Entry& entry) {
    bool ends_in_dot = entry.path.ends_with('.') || entry.path.find("./") != std::string::npos;
    return ends_in_dot
           || !std::ranges::all_of(entry.path, [&](char c) { return c == '/' || is_plain(c); });
  });
}

} // namespace

bool has_all_names(int folder, const Tree& tree) {
  if (!has_names_to_check(tree)) {
    return true;
  }
  // Back to the start, because some file systems show what was made since the opening only then.
  return ::lseek(folder, 0, SEEK_SET) == 0
         && count_names(folder, {}, tree) == tree.entries().size();
}

} // namespace upskill::sync
