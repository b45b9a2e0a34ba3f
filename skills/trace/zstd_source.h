#pragma once
#include "skills/trace/byte_source.h"

#include <memory>
#include <string>
#include <string_view>

namespace upskill::trace {

// Whether a file that begins so is zstd: a frame, or a skippable one. Four bytes tell.
bool is_zstd(std::string_view head);

// What the frames of `packed`, which may be several, hold. At most 128 MiB are taken for a frame's
// window. `name`: for errors.
std::unique_ptr<ByteSource> open_zstd(std::unique_ptr<ByteSource> packed, std::string name);

} // namespace upskill::trace
