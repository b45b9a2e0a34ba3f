#include "skills/sync/new_version.h"

#include "protocol/base/bounds.h"
#include "protocol/base/paths.h"
#include "protocol/base/utf8.h"
#include "skills/library/names.h"
#include "skills/store/inner_path.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace upskill::sync {
namespace {

bool is_ignored(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    std::size_t end = std::min(path.find('/', begin), path.size());
    if (library::ignored_in_skill(path.substr(begin, end - begin))) {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

Result<Entry> entry_of(const std::string& path, const NewFile& file) {
  TRY(store::check_inner_path(path));
  if (is_ignored(path)) {
    return fail(ErrorCode::invalid_argument, in_backticks(path) + " is no part of a skill");
  }
  Entry entry;
  entry.path = path;
  if (!file.target.empty()) {
    if (!link_stays_inside(path, file.target)) {
      return fail(ErrorCode::invalid_argument,
                  in_backticks(path) + " is a link that leaves the skill");
    }
    entry.kind = EntryKind::link;
    entry.target = file.target;
    entry.content = sha256(file.target);
    return entry;
  }
  if (file.bytes.size() > k_max_skill_file) {
    return fail(ErrorCode::too_large, in_backticks(path) + " is over 64 MiB");
  }
  entry.kind = file.is_program ? EntryKind::executable : EntryKind::file;
  entry.size = file.bytes.size();
  entry.content = sha256(file.bytes);
  return entry;
}

} // namespace

Result<Tree> tree_of(const NewFiles& content) {
  std::vector<Entry> entries;
  std::set<std::string> folders;
  for (const auto& [path, file] : content) {
    TRY_ASSIGN(Entry entry, entry_of(path, file));
    entries.push_back(std::move(entry));
    for (std::size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      folders.insert(path.substr(0, slash));
    }
  }
  for (const std::string& folder : folders) {
    if (content.contains(folder)) {
      return fail(ErrorCode::invalid_argument,
                  in_backticks(folder) + " cannot be a file and a folder at once");
    }
    Entry entry;
    entry.path = folder;
    entry.kind = EntryKind::folder;
    entries.push_back(std::move(entry));
  }
  Tree tree(std::move(entries));
  if (!tree.is_complete()) {
    return fail(ErrorCode::invalid_argument, "a skill has a `SKILL.md` that is not empty");
  }
  if (tree.entries().size() > k_max_skill_entries || tree.bytes() > k_max_skill_bytes) {
    return fail(ErrorCode::too_large, "this is over 10,000 files or 256 MiB, and no skill");
  }
  return tree;
}

NewFiles
merge_with_old(NewFiles content, const PlacedSkill& old, const std::set<std::string>& removed) {
  std::set<std::string> taken;
  for (const auto& [path, file] : content) {
    taken.insert(library::folded_key(path));
  }
  for (const auto& [path, file] : old.files) {
    bool goes =
        std::ranges::any_of(removed, [&](const std::string& one) { return is_inside(path, one); });
    if (!goes && !taken.contains(library::folded_key(path))) {
      content.emplace(path, file);
    }
  }
  return content;
}

} // namespace upskill::sync
