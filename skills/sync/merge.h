#pragma once
#include "skills/sync/tree.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::sync {

// The bytes of a file that some version holds, found by its digest.
using ContentSource = std::function<Result<std::string>(const Entry&)>;

// The form of a path in which two names are one where a file system ignores case.
using FoldPath = std::function<std::string(std::string_view)>;

// ASCII letters in lower case; enough where nothing better is at hand.
std::string fold_ascii(std::string_view path);

// A file that none of the versions holds: the join of several.
struct MergedFile {
  std::string path;
  std::string bytes; // its entry in the tree has their digest and size

  friend bool operator==(const MergedFile&, const MergedFile&) = default;
};

struct MergeConflict {
  std::string path;
  std::string reason; // a whole sentence with the path in it, in the manner of an error message

  friend bool operator==(const MergeConflict&, const MergeConflict&) = default;
};

struct MergeResult {
  Tree tree;                            // empty when there are conflicts
  std::vector<MergedFile> files;        // by path; empty when there are conflicts
  std::vector<MergeConflict> conflicts; // by path, each path once

  bool clean() const { return conflicts.empty(); }
};

// Joins the changes that several versions of a skill make to their common ancestor (sync facts,
// section 5, rule 1). The result does not depend on the order of the versions, and repeated ones
// change nothing. An empty ancestor stands for a lost one: then it is a union without deletions.
//
// Path by path, where one version or several in the same way changed something, that is taken;
// where they changed it differently:
// - an edit beats a deletion, and so does a change of the executable bit;
// - the executable bit and the content of a file merge apart; a file that only versions have was
//   not executable before;
// - content merges line by line (text_merge.h) against the ancestor's; a file that is new in
// several
//   versions, with different content, is a conflict;
// - file against folder against link, and two targets of a link, are conflicts;
// - a folder stays while anything is in it.
// Also conflicts: a file where another version put something below, two paths that differ only in
// case and come from different versions, a result without a SKILL.md that is not empty, and one
// over the bounds of a skill (path `.`).
//
// `read` is called only for the contents of text that was changed in two ways, once per path and
// content. Its error is passed on; `changed` when the bytes do not have the entry's digest. No
// pointer may be null.
Result<MergeResult> merge_trees(const Tree& ancestor,
                                const std::vector<const Tree*>& versions,
                                const ContentSource& read,
                                const FoldPath& fold = fold_ascii);

} // namespace upskill::sync
