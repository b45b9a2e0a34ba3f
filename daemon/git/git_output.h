#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What git says, read. Names are bytes that anyone may have chosen, newlines and all, so all of it
// was asked for with `-z`. What git would not say is corrupt.
namespace upskill::git {

enum class FileFate { changed, added, removed, renamed };

// One file that is not as it was. Paths are relative to the repository, as git has them.
struct FileChange {
  FileFate fate = FileFate::changed;
  std::string path = {}; // of `removed`: where it was
  std::string from = {}; // of `renamed`

  friend bool operator==(const FileChange&, const FileChange&) = default;
};

// A file of a commit. Of a submodule there is nothing but its name.
struct TreeFile {
  std::string path = {};
  std::uint64_t bytes = 0;
  bool is_submodule = false;

  friend bool operator==(const TreeFile&, const TreeFile&) = default;
};

enum class EntryKind { file, link, folder, submodule };

// Anything in a tree, with git's hash of it.
struct TreeEntry {
  EntryKind kind = EntryKind::file;
  std::string path = {};
  std::string hash = {};
  std::uint64_t bytes = 0; // of files and links

  friend bool operator==(const TreeEntry&, const TreeEntry&) = default;
};

// `git diff --name-status -z`. A copy is a file that was added.
Result<std::vector<FileChange>> read_name_status(std::string_view output);
// `git ls-files -z`. Folders that are repositories of their own, which end in a slash, are left
// out.
Result<std::vector<std::string>> read_paths(std::string_view output);
// `git ls-tree -r -l -z`.
Result<std::vector<TreeFile>> read_tree(std::string_view output);
// `git ls-tree -r -t -l -z`.
Result<std::vector<TreeEntry>> read_entries(std::string_view output);
// The one hash in a line, of SHA-1 or SHA-256.
Result<std::string> read_hash(std::string_view output);

// A ref as somebody says it: a branch, a tag, a hash, `HEAD~2`. What may be taken for an option, or
// has control characters, is none. Errors: invalid_argument.
Result<void> check_ref(std::string_view ref);

} // namespace upskill::git
