#include "skills/sync/version_diff.h"

#include "protocol/base/utf8.h"
#include "skills/sync/engine_state.h"
#include "skills/sync/unified_diff.h"

#include <algorithm>
#include <map>
#include <utility>

namespace upskill::sync {
namespace {

struct Sides {
  const Entry* from = nullptr;
  const Entry* to = nullptr;
};

bool is_document(std::string_view path) {
  return path == "SKILL.md" || path == "skill.md";
}

bool is_file(const Entry* entry) {
  return entry != nullptr
         && (entry->kind == EntryKind::file || entry->kind == EntryKind::executable);
}

std::string described(const Entry* entry) {
  if (entry == nullptr) {
    return "missing";
  }
  switch (entry->kind) {
  case EntryKind::folder:
    return "a folder";
  case EntryKind::file:
    return "a file";
  case EntryKind::executable:
    return "a program";
  case EntryKind::link:
    return "a link to `" + to_valid_utf8(entry->target) + "`";
  }
  return {};
}

Result<std::string> bytes_of(const VersionContent& version, const Entry* file) {
  return file != nullptr ? version.bytes_of(*file) : std::string();
}

} // namespace

Result<VersionContent> kept_version(const store::Objects& objects, const Digest& hash) {
  TRY_ASSIGN(Tree tree, tree_of_object(objects, hash));
  auto bytes = [&objects, hash](const Entry& file) { return objects.read_file(hash, file.path); };
  return VersionContent{std::move(tree), std::move(bytes)};
}

Result<VersionDiff> diff_versions(const VersionContent& from,
                                  const VersionContent& to,
                                  const VersionDiffLimits& limits) {
  std::map<std::string_view, Sides> all;
  for (const Entry& entry : from.tree.entries()) {
    all[entry.path].from = &entry;
  }
  for (const Entry& entry : to.tree.entries()) {
    all[entry.path].to = &entry;
  }
  std::erase_if(all, [](const auto& one) {
    const auto& [a, b] = one.second;
    return a != nullptr && b != nullptr && *a == *b;
  });
  std::vector<std::string_view> paths;
  for (const auto& [path, sides] : all) {
    paths.push_back(path);
  }
  std::ranges::sort(
      paths, {}, [](std::string_view path) { return std::pair(!is_document(path), path); });
  VersionDiff diff;
  if (paths.empty()) {
    return diff;
  }
  for (std::string_view path : paths) {
    if (diff.paths.size() < limits.max_paths) {
      diff.paths.push_back(to_valid_utf8(path));
    }
  }
  diff.more = paths.size() - diff.paths.size();
  const auto& [a, b] = all[paths.front()];
  // What is a file on one side and missing on the other is shown as a file that was empty.
  bool comparable = (is_file(a) || a == nullptr) && (is_file(b) || b == nullptr);
  bool same_bytes = a != nullptr && b != nullptr && a->content == b->content;
  auto is_large = [](const Entry* entry) {
    return entry != nullptr && entry->size > k_max_diff_text;
  };
  if (comparable && !same_bytes && (is_large(a) || is_large(b))) {
    diff.text = "`" + diff.paths.front() + "` differs and is too large to compare\n";
  } else if (comparable && !same_bytes) {
    TRY_ASSIGN(std::string before, bytes_of(from, a));
    TRY_ASSIGN(std::string after, bytes_of(to, b));
    diff.text = unified_diff(before,
                             after,
                             "winner/" + diff.paths.front(),
                             "this/" + diff.paths.front(),
                             3,
                             limits.max_bytes);
  }
  if (diff.text.empty()) {
    diff.text = "`" + diff.paths.front() + "` is " + described(a) + " in the winner and "
                + described(b) + " in this version\n";
  }
  return diff;
}

} // namespace upskill::sync
