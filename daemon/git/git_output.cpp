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

Result<std::vector<TreeFile>> read_tree(std::string_view output) {
  std::vector<TreeFile> files;
  Fields fields(output);
  while (!fields.at_end()) {
    std::optional<std::string_view> row = fields.next(); // mode SP type SP hash SP* size TAB path
    std::size_t tab = row ? row->find('\t') : std::string_view::npos;
    if (tab == std::string_view::npos || !is_path(row->substr(tab + 1))) {
      return unreadable("tree");
    }
    TreeFile file{std::string(row->substr(tab + 1))};
    std::string_view about = row->substr(0, tab);
    std::string_view size = about.substr(about.rfind(' ') + 1);
    file.is_submodule = size == "-";
    if (!file.is_submodule) {
      auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), file.bytes);
      if (error != std::errc() || end != size.data() + size.size()) {
        return unreadable("tree");
      }
    }
    files.push_back(std::move(file));
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
