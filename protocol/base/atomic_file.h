#pragma once
#include "protocol/base/result.h"

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace upskill {

enum class Durability {
  process_crash, // survives our being killed
  power_loss     // file and folder are synced before the call returns
};

// Replaces `path` in one step: a new file beside it, written, optionally synced, renamed over it.
// A reader sees the old bytes or the new, never a mixture; on failure the old file is untouched.
Result<void> write_file_atomically(const std::string& path,
                                   std::string_view bytes,
                                   mode_t mode = 0644,
                                   Durability durability = Durability::power_loss);

// The whole of a regular file; too_large when it holds more than `limit` bytes, so that a hostile
// file cannot fill the memory. A link is followed.
Result<std::string> read_file(const std::string& path, std::size_t limit);

// Makes the folder and those above it, with `mode` for each one made; it is no error that they
// exist.
Result<void> make_directories(const std::string& path, mode_t mode = 0755);

} // namespace upskill
