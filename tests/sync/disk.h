#pragma once
#include "protocol/base/hash.h"
#include "skills/sync/scan.h"

#include <sys/types.h>

#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// What the tests of sync do to a disk, as a user or a program would: plain system calls, none of
// the code under test. Whatever fails that must not fail ends the test.
namespace upskill::sync_test {

// A broken invariant, or a world that could not be made.
struct Violation : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Something that a person tried could not be done.
struct NotDone : Violation {
  using Violation::Violation;
};

// /dev/shm where that is in memory and may be written, else TMPDIR or /tmp. Says so once.
std::string fast_folder();
// A fresh folder in `parent`.
std::string make_world_folder(const std::string& parent);

bool exists(const std::string& path);
bool is_folder(const std::string& path); // itself, not what a link leads to
std::string read(const std::string& path);
void make_folders(const std::string& path);
// A new file renamed over the old one, as most editors do.
void replace_file(const std::string& path, std::string_view bytes, mode_t mode = 0644);
// The same inode truncated and written, as a shell's `>` does.
void rewrite_file(const std::string& path, std::string_view bytes);
void remove_all(const std::string& path);
void copy_all(const std::string& from, const std::string& to);
void rename_path(const std::string& from, const std::string& to);
std::vector<std::string>
names_in(const std::string& folder); // sorted; none when there is no folder

// The skill in this folder, read anew.
sync::ReadResult look(const std::string& root, std::string_view name);

// The trees of all complete skills at or below this folder, at most `depth` levels down.
void add_trees_below(const std::string& folder, int depth, std::set<Digest>& out);

// Every path below with kind, mode, times and bytes: equal texts mean that nothing was changed.
std::string picture_of(const std::string& folder);

} // namespace upskill::sync_test
