#pragma once
#include "protocol/base/result.h"

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::setup {

// A file of a person's, as it was found.
struct ConfigFile {
  std::string path;                      // where it really is
  std::optional<std::string> bytes = {}; // nothing: there is none
  mode_t mode = 0600;
};

// Looks at it; blocks. Links are followed as long as they stay inside `boundary`, which is a folder
// without links. Errors: refused for a link that leads out, or into nothing, for another's file and
// one that is read-only; too_large (4 MiB); unsupported for what is no regular file; of the system.
Result<ConfigFile> look_at_file(const std::string& path, const std::string& boundary);

// Writes it in one step, with its mode, where it still is as it was looked at; else `changed`.
// Folders that it needs are made.
Result<void>
write_over(const ConfigFile& file, std::string_view bytes, const std::string& boundary);

// Of the folders on the way to a file those that are not there, the outermost first.
std::vector<std::string> folders_to_make(const std::string& path);

// Takes those away that are empty; one that somebody put something into stays.
void remove_folders(const std::vector<std::string>& folders);

// Takes it away, where it still is as it was looked at, and of `folders` those that are empty then.
Result<void> take_away(const ConfigFile& file,
                       const std::string& boundary,
                       const std::vector<std::string>& folders);

// Without links.
std::string real_path(const std::string& path);

} // namespace upskill::setup
