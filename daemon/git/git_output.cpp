#include "daemon/git/git_output.h"

#include "protocol/base/utf8.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace upskill::git {
namespace {

constexpr std::size_t k_longest_ref = 1024; // bytes

tl::unexpected<Error> unreadable(std::string_view what) {
  return fail(ErrorCode::corrupt, "git's " + std::string(what) + " cannot be read");
}

// Fields that each end in a NUL.
class Fields {
public:
  explicit Fields(std::string_view text)
      : m_rest(text) {}

  bool at_end() const { return m_rest.empty(); }

  // Nothing where there is no more, or no NUL.
  std::optional<std::string_view> next() {
    std::size_t end = m_rest.find('\0');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    std::string_view field = m_rest.substr(0, end);
    m_rest.remove_prefix(end + 1);
    return field;
  }

private:
  std::string_view m_rest;
};

// No way out of the repository, whatever the tree of a stranger says.
bool is_path(std::string_view path) {
  if (path.empty() || path.front() == '/') {
    return false;
  }
  while (true) {
    std::size_t end = std::min(path.find('/'), path.size());
    std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") {
      return false;
    }
    if (end == path.size()) {
      return true;
    }
    path.remove_prefix(end + 1);
  }
}

// The next blank-separated word of a row, and what follows it.
std::string_view take_word(std::string_view& row) {
  row.remove_prefix(std::min(row.find_first_not_of(' '), row.size()));
  std::string_view word = row.substr(0, row.find(' '));
  row.remove_prefix(word.size());
  return word;
}

bool is_hash(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

} // namespace

Result<std::vector<FileChange>> read_name_status(std::string_view output) {
  std::vector<FileChange> changes;
  Fields fields(output);
  while (!fields.at_end()) {
    std::optional<std::string_view> status = fields.next();
    std::optional<std::string_view> path = fields.next();
    if (!status || status->empty() || !path || !is_path(*path)) {
      return unreadable("list of changes");
    }
    FileChange change{FileFate::changed, std::string(*path)};
    switch (status->front()) {
    case 'A':
      change.fate = FileFate::added;
      break;
    case 'D':
      change.fate = FileFate::removed;
      break;
    case 'C':
    case 'R': {
      std::optional<std::string_view> to = fields.next();
      if (!to || !is_path(*to)) {
        return unreadable("list of changes");
      }
      change.path = *to;
      change.fate = status->front() == 'R' ? FileFate::renamed : FileFate::added;
      change.from = status->front() == 'R' ? std::string(*path) : std::string();
      break;
    }
    case 'M':
    case 'T': // another type: a link in place of a file
    case 'U': // not merged yet
    case 'X':
      break;
    default:
      return unreadable("list of changes");
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

Result<std::vector<std::string>> read_paths(std::string_view output) {
  std::vector<std::string> paths;
  Fields fields(output);
  while (!fields.at_end()) {
    std::optional<std::string_view> path = fields.next();
    if (path && path->ends_with('/')) {
      continue;
    }
    if (!path || !is_path(*path)) {
      return unreadable("list of files");
    }
    paths.emplace_back(*path);
  }
  return paths;
}

Result<std::vector<TreeEntry>> read_entries(std::string_view output) {
  std::vector<TreeEntry> entries;
  Fields fields(output);
  while (!fields.at_end()) {
    std::optional<std::string_view> row = fields.next(); // mode SP type SP hash SP* size TAB path
    std::size_t tab = row ? row->find('\t') : std::string_view::npos;
    if (tab == std::string_view::npos || !is_path(row->substr(tab + 1))) {
      return unreadable("tree");
    }
    TreeEntry entry;
    entry.path = row->substr(tab + 1);
    std::string_view about = row->substr(0, tab);
    std::string_view mode = take_word(about);
    std::string_view type = take_word(about);
    entry.hash = take_word(about);
    std::string_view size = take_word(about);
    if (type == "tree" || type == "commit") {
      entry.kind = type == "tree" ? EntryKind::folder : EntryKind::submodule;
    } else {
      entry.kind = mode == "120000" ? EntryKind::link : EntryKind::file;
      auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), entry.bytes);
      if (type != "blob" || error != std::errc() || end != size.data() + size.size()) {
        return unreadable("tree");
      }
    }
    if (!is_hash(entry.hash)) {
      return unreadable("tree");
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<TreeFile>> read_tree(std::string_view output) {
  TRY_ASSIGN(std::vector<TreeEntry> entries, read_entries(output));
  std::vector<TreeFile> files;
  for (TreeEntry& entry : entries) {
    if (entry.kind != EntryKind::folder) {
      files.push_back({std::move(entry.path), entry.bytes, entry.kind == EntryKind::submodule});
    }
  }
  return files;
}

Result<std::string> read_hash(std::string_view output) {
  std::string_view line = output.substr(0, output.find('\n'));
  if (!is_hash(line)) {
    return unreadable("answer");
  }
  return std::string(line);
}

Result<void> check_ref(std::string_view ref) {
  const bool has_controls = std::ranges::any_of(
      ref, [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7F; });
  if (ref.empty() || ref.front() == '-' || ref.size() > k_longest_ref || has_controls) {
    return fail(ErrorCode::invalid_argument,
                "`" + to_valid_utf8(utf8_prefix(ref, 100)) + "` is no git ref",
                "a branch, a tag or a commit: `origin/main`, `HEAD~1`");
  }
  return {};
}

} // namespace upskill::git
