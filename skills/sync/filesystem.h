#pragma once
#include "protocol/base/result.h"

#include <fcntl.h>
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::sync {

// Where a new file is to be. Its path is for people and for tests; the kernel need not walk all of
// it where the folder that the last part lies below is open.
struct FilePlace {
  const std::string& path;
  int folder = AT_FDCWD;
  std::size_t below = 0;    // of the path: where the part below `folder` begins
  bool keeps_modes = false; // as keeps_modes() says of its file system

  const char* name() const { return path.c_str() + below; }
};

// Whether the file system that the open folder lies on gives a new file no mode bit that was not
// asked for. Others make up modes (FAT, many of networks), and what is not known counts as such.
bool keeps_modes(int folder);

// Every change that sync makes in a user's folders goes through here, one system call a function,
// so that a test can end the process before any of them. Paths are absolute. No call follows a link
// at its last part.
class Filesystem {
public:
  virtual ~Filesystem() = default;

  virtual Result<void> make_folder(const std::string& path, mode_t mode);
  // A new file, looked at again to see that it holds these bytes and is a program when the mode
  // says so; already_exists when there is one.
  virtual Result<void> write_file(const FilePlace& place, std::string_view bytes, mode_t mode);
  virtual Result<void> make_link(const std::string& target, const std::string& path);
  // Swaps two existing things in one step. `unsupported` where the file system cannot.
  virtual Result<void> exchange(const std::string& a, const std::string& b);
  // Renames; already_exists when `to` exists.
  virtual Result<void> move(const std::string& from, const std::string& to);
  virtual Result<void> remove_file(const std::string& path);
  virtual Result<void> remove_folder(const std::string& path); // must be empty
  // Everything on the file system of this folder.
  virtual Result<void> sync_all(const std::string& folder);

  // Removes what is below and the thing itself, never following a link. Not one step.
  Result<void> remove_tree(const std::string& path);
};

} // namespace upskill::sync
