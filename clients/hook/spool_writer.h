#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace upskill::hook {

// Appends one record (encode_record) to the spool of a state directory, which is made where it is
// absent. It takes a single write, waits for nobody, and survives our being killed once it has
// returned. Refused where the spool is not ours alone; too_large where it is full: then the event
// is counted as dropped. `limit` is of a segment, in bytes.
Result<void>
append_to_spool(const std::string& state, std::string_view record, std::uint64_t limit);

} // namespace upskill::hook
