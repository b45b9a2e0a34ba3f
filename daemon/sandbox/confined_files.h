#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Files below an open folder whose contents somebody hostile chose, and may still be changing. A
// path is walked part by part by open folders, and no link is ever followed, so nothing that is
// swapped in leads out. Paths are relative; `..` and absolute ones are invalid_argument.
namespace upskill::sandbox {

// The whole of a regular file. Errors: not_found; refused for a link, a folder, a FIFO or a device;
// too_large; permission.
Result<std::string> read_confined(int folder, std::string_view path, std::size_t limit);

// Makes or replaces a regular file, and the folders above it. Errors as above, and no_space.
Result<void> write_confined(int folder, std::string_view path, std::string_view bytes);

struct ConfinedEntry {
  std::string path = {};   // below the folder that was asked for
  char kind = 'f';         // `d`: a folder, `l`: a link, `f`: a file, `?`: anything else
  std::uint64_t bytes = 0; // of a file

  friend bool operator==(const ConfinedEntry&, const ConfinedEntry&) = default;
};

struct ConfinedList {
  std::vector<ConfinedEntry> entries = {}; // by path
  bool complete = true;                    // false: there are more
};

// What lies in a folder and below, at most `most` of it and 32 levels deep. Empty path: the folder
// itself.
Result<ConfinedList> list_confined(int folder, std::string_view path, std::size_t most);

} // namespace upskill::sandbox
