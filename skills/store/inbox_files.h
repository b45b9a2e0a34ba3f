#pragma once
#include "protocol/base/unique_fd.h"
#include "skills/store/inbox.h"

#include <cstddef>
#include <string>

// Reading what lies in the inbox: nothing of it is believed, and no link is followed.
namespace upskill::store {

inline constexpr std::size_t k_max_inbox_record = 4u << 20; // bytes of a JSON file

UniqueFd open_inner_folder(int folder, const char* name);

// A whole file of an open folder. Errors: unsupported for a link and what is no file, too_large,
// those of the system.
Result<InboxFile> read_inner_file(int folder, const std::string& name, std::size_t limit);

// All files below an open folder. Errors as above; too_large: over the bounds of the inbox.
Result<InboxFiles> read_files(int folder);

} // namespace upskill::store
