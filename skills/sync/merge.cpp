#include "skills/sync/merge.h"

#include "protocol/base/bounds.h"
#include "skills/sync/text_merge.h"

#include <algorithm>
#include <map>
#include <set>

namespace upskill::sync {
namespace {

bool is_file(const Entry& entry) {
  return entry.kind == EntryKind::file || entry.kind == EntryKind::executable;
}

bool same_content(const Entry& a, const Entry& b) {
  return a.content == b.content && a.size == b.size;
}

// Equal in what is propagated; null stands for absent.
bool same_state(const Entry* a, const Entry* b) {
  if (a == nullptr || b == nullptr) {
    return a == b;
  }
  return a->kind == b->kind && (!is_file(*a) || same_content(*a, *b)) && a->target == b->target;
}

std::string_view parent_of(std::string_view path) {
  std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

class Merge {
public:
  Merge(const Tree& ancestor,
        std::vector<const Tree*> versions,
        const ContentSource& read,
        const FoldPath& fold)
      : m_ancestor(ancestor)
      , m_versions(std::move(versions))
      , m_read(read)
      , m_fold(fold) {}

  Result<MergeResult> run();

private:
  void conflict(std::string_view path, std::string_view what) {
    m_conflicts.try_emplace(std::string(path), "`" + std::string(path) + "` " + std::string(what));
  }

  Result<Tree> merged_tree();
  Result<void> merge_path(std::string_view path);
  Result<void> merge_file(const Entry* before, const std::vector<const Entry*>& changed);
  Result<void>
  merge_content(const Entry* before, const std::vector<const Entry*>& changed, Entry& merged);
  Result<std::string> read(const Entry& entry);
  void complete_folders();
  void check_case();
  void check_skill_file(const Tree& result);

  const Tree& m_ancestor;
  const std::vector<const Tree*> m_versions; // differ from the ancestor and from each other
  const ContentSource& m_read;
  const FoldPath& m_fold;
  std::map<std::string, Entry, std::less<>> m_entries;
  std::vector<MergedFile> m_files;
  std::map<std::string, std::string> m_conflicts;
};

Result<std::string> Merge::read(const Entry& entry) {
  TRY_ASSIGN(std::string bytes, m_read(entry));
  if (bytes.size() != entry.size || sha256(bytes) != entry.content) {
    return fail(ErrorCode::changed,
                "`" + entry.path + "` does not hold what was found in it before",
                "it is looked at again in the next round");
  }
  return bytes;
}

Result<void>
Merge::merge_content(const Entry* before, const std::vector<const Entry*>& changed, Entry& merged) {
  auto too_large = [](const Entry* entry) { return entry->size > k_max_merge_text; };
  bool has_base = before != nullptr && is_file(*before) && !too_large(before);
  if (!has_base || std::ranges::any_of(changed, too_large)) {
    conflict(merged.path, "was changed in different ways");
    return {};
  }
  TRY_ASSIGN(std::string base, read(*before));
  std::vector<std::string> texts;
  for (const Entry* entry : changed) {
    TRY_ASSIGN(std::string text, read(*entry));
    texts.push_back(std::move(text));
  }
  auto bytes = merge_texts(base, {texts.begin(), texts.end()});
  if (!bytes) {
    conflict(merged.path, "was changed in different ways in the same place");
    return {};
  }
  merged.content = sha256(*bytes);
  merged.size = bytes->size();
  m_files.push_back({merged.path, std::move(*bytes)});
  return {};
}

// `changed` holds files only, and not one of them is as the ancestor has it.
Result<void> Merge::merge_file(const Entry* before, const std::vector<const Entry*>& changed) {
  const bool was_file = before != nullptr && is_file(*before);
  const EntryKind kind_before = was_file ? before->kind : EntryKind::file;
  Entry merged = was_file ? *before : *changed.front();
  merged.kind = kind_before;
  std::vector<const Entry*> contents; // that differ from the ancestor's and from each other
  for (const Entry* entry : changed) {
    if (entry->kind != kind_before) {
      merged.kind = entry->kind; // there are only two kinds, so nobody can disagree
    }
    bool known = (was_file && same_content(*entry, *before))
                 || std::ranges::any_of(
                     contents, [&](const Entry* other) { return same_content(*entry, *other); });
    if (!known) {
      contents.push_back(entry);
    }
  }
  if (contents.size() == 1) {
    merged.content = contents.front()->content;
    merged.size = contents.front()->size;
  } else if (contents.size() > 1) {
    TRY(merge_content(before, contents, merged));
  }
  m_entries.insert_or_assign(merged.path, merged);
  return {};
}

Result<void> Merge::merge_path(std::string_view path) {
  const Entry* before = m_ancestor.find(path);
  bool deleted = false;
  std::vector<const Entry*> changed; // there, and not as the ancestor has it
  for (const Tree* version : m_versions) {
    const Entry* entry = version->find(path);
    if (entry == nullptr) {
      deleted = deleted || before != nullptr;
    } else if (!same_state(entry, before)) {
      changed.push_back(entry);
    }
  }
  if (changed.empty()) {
    if (!deleted && before != nullptr) {
      m_entries.emplace(path, *before);
    }
    return {};
  }
  const Entry& first = *changed.front();
  if (std::ranges::all_of(changed, [](const Entry* entry) { return is_file(*entry); })) {
    return merge_file(before, changed);
  }
  m_entries.emplace(path, first);
  auto differs = [&](auto Entry::*member) {
    return std::ranges::any_of(changed,
                               [&](const Entry* entry) { return entry->*member != first.*member; });
  };
  if (differs(&Entry::kind)) {
    conflict(path, "is a file, a folder or a link, and not the same in every copy");
  } else if (differs(&Entry::target)) {
    conflict(path, "is a link that leads to different places");
  }
  return {};
}

// A kept path keeps the folders above it, also those that somebody deleted.
void Merge::complete_folders() {
  std::set<std::string> missing;
  for (const auto& [path, entry] : m_entries) {
    for (std::string_view above = parent_of(path); !above.empty(); above = parent_of(above)) {
      auto at = m_entries.find(above);
      if (at == m_entries.end()) {
        missing.emplace(above);
      } else if (at->second.kind != EntryKind::folder) {
        conflict(above, "is not a folder in one copy, and holds something in another");
      }
    }
  }
  for (const std::string& path : missing) {
    m_entries.emplace(path, Entry{.path = path, .kind = EntryKind::folder});
  }
}

void Merge::check_case() {
  std::map<std::string, std::vector<std::string_view>> by_fold;
  for (const auto& [path, entry] : m_entries) {
    by_fold[m_fold(path)].push_back(path);
  }
  auto holds = [](const Tree& tree, const std::vector<std::string_view>& paths) {
    return std::ranges::all_of(paths,
                               [&](std::string_view path) { return tree.find(path) != nullptr; });
  };
  for (const auto& [fold, paths] : by_fold) {
    // Who has them all already lives where case counts; the merge did not bring them together.
    if (paths.size() > 1 && !holds(m_ancestor, paths)
        && std::ranges::none_of(m_versions,
                                [&](const Tree* version) { return holds(*version, paths); })) {
      for (std::string_view path : paths) {
        conflict(path, "has a twin that differs only in case");
      }
    }
  }
}

void Merge::check_skill_file(const Tree& result) {
  auto is_complete = [](const Tree* tree) { return tree->is_complete(); };
  if (!result.is_complete()
      && (m_ancestor.is_complete() || std::ranges::any_of(m_versions, is_complete))) {
    conflict("SKILL.md", "would be missing or empty");
  }
}

Result<Tree> Merge::merged_tree() {
  if (m_versions.size() == 1) {
    return *m_versions.front();
  }
  std::set<std::string_view> paths;
  for (const Entry& entry : m_ancestor.entries()) {
    paths.insert(entry.path);
  }
  for (const Tree* version : m_versions) {
    for (const Entry& entry : version->entries()) {
      paths.insert(entry.path);
    }
  }
  for (std::string_view path : paths) {
    TRY(merge_path(path));
  }
  complete_folders();
  check_case();
  std::vector<Entry> entries;
  for (auto& [path, entry] : m_entries) {
    entries.push_back(std::move(entry));
  }
  Tree tree(std::move(entries));
  if (tree.entries().size() > k_max_skill_entries || tree.bytes() > k_max_skill_bytes) {
    m_conflicts.try_emplace(".", "the versions together are too many files or bytes for one skill");
  }
  return tree;
}

Result<MergeResult> Merge::run() {
  MergeResult result;
  TRY_ASSIGN(result.tree, merged_tree());
  if (m_conflicts.empty()) {
    check_skill_file(result.tree);
  }
  if (m_conflicts.empty()) {
    result.files = std::move(m_files);
    return result;
  }
  result.tree = {};
  for (auto& [path, reason] : m_conflicts) {
    result.conflicts.push_back({path, reason});
  }
  return result;
}

} // namespace

std::string fold_ascii(std::string_view path) {
  std::string folded(path);
  for (char& c : folded) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return folded;
}

Result<MergeResult> merge_trees(const Tree& ancestor,
                                const std::vector<const Tree*>& versions,
                                const ContentSource& read,
                                const FoldPath& fold) {
  std::vector<const Tree*> distinct;
  for (const Tree* version : versions) {
    auto is_same = [&](const Tree* other) { return *other == *version; };
    if (!(*version == ancestor) && std::ranges::none_of(distinct, is_same)) {
      distinct.push_back(version);
    }
  }
  // So that nothing below can depend on the order in which the versions came.
  std::ranges::sort(distinct, {}, [](const Tree* version) { return version->hash(); });
  if (distinct.empty()) {
    return MergeResult{.tree = ancestor, .files = {}, .conflicts = {}};
  }
  return Merge(ancestor, std::move(distinct), read, fold).run();
}

} // namespace upskill::sync
