#pragma once
#include "protocol/base/result.h"
#include "skills/archive/archive.h"

#include <cstdint>
#include <string>

namespace upskill::capture {

// Removes objects that no session names for a day: a reading that failed has left them. Those from
// before this database stay, for a damaged one that was set aside, or one that was put back from a
// backup, is not to cost what its sessions said. Both are known by a mark that is renewed each
// time, in the database and beside the objects, in `folder`.
Result<void>
remove_unnamed(archive::Archive& archive, const std::string& folder, std::int64_t now_ms);

} // namespace upskill::capture
