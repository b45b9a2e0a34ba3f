#pragma once
#include "protocol/base/result.h"
#include "protocol/base/unique_fd.h"
#include "skills/store/object_entry.h"

#include <cstdint>
#include <functional>
#include <span>

namespace upskill::store {

// Gives a file that is to be copied; closed when that is done.
using OpenEntry = std::function<Result<UniqueFd>(const ObjectEntry&)>;

// Bytes that write_object writes for these entries.
std::uint64_t object_size(std::span<const ObjectEntry> entries);

// Writes entries that were checked, in their order, as a tar. changed: a file does not have the
// size or the content that its entry says.
Result<void>
write_object(int fd, std::span<const ObjectEntry> entries, const OpenEntry& open_entry);

} // namespace upskill::store
