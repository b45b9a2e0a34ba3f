#pragma once
#include "protocol/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace upskill::library {

// Opens the folder `name` below the open folder `at` (AT_FDCWD for an absolute path), never through
// a link at its last part; empty on failure, with errno set.
UniqueFd open_folder(int at, const char* name);

// One name of a folder. `name` ends with a zero and lives until the visitor returns.
struct FolderEntry {
  const char* name;
  unsigned char type; // DT_*; DT_UNKNOWN on some file systems
};

// Visits the names of an open folder in no order, `.` and `..` left out, until the visitor answers
// false. Raw getdents into one buffer on the stack: opendir's allocation alone costs more than most
// skills' folders hold. Answers 0 or an errno.
int for_each_name(int folder, const std::function<bool(const FolderEntry&)>& visit);

} // namespace upskill::library
