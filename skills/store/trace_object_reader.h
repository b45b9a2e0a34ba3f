#pragma once
#include "skills/store/trace_objects.h"

#include <cstdint>
#include <string>

namespace upskill::store {

// What TraceObjects::read does with an open file; `path` is for messages.
Result<std::uint64_t> read_trace_object(int fd,
                                        const std::string& path,
                                        std::uint64_t committed_size,
                                        std::uint64_t from,
                                        const TakeText& take);

} // namespace upskill::store
