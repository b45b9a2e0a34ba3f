#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <functional>
#include <string>

// Whole folders, whatever they hold: what goes to the trash was not chosen by us. Links are never
// followed; each name is looked up in an open folder, so that nobody can swap a link in between.
// Folders nest at most k_max_tree_depth deep (too_large beyond), because each level keeps one open.
namespace upskill::store {

inline constexpr int k_max_tree_depth = 200;

// Every name but `.` and `..` of an open folder, read to the end first, so that `visit` may remove.
Result<void> each_name(int folder, const std::function<Result<void>(const std::string&)>& visit);

// Removes a folder with all in it, or a single file or link; no error when there is none. Takes a
// missing write permission of folders in its stride, as their owner may.
Result<void> remove_tree(const std::string& path);

// Copies folders, files (with permissions) and links to `to`, which must not exist. unsupported:
// there is something else, such as a socket. What is there after a failure is the caller's.
Result<void> copy_tree(const std::string& from, const std::string& to);

// changed unless both hold the same names, kinds, bytes, targets and executable bits.
Result<void> compare_trees(const std::string& a, const std::string& b);

// Bytes of all files.
Result<std::uint64_t> tree_bytes(const std::string& path);

} // namespace upskill::store
