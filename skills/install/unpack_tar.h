#pragma once
#include "protocol/base/result.h"
#include "skills/install/unpack_target.h"

#include <string_view>

namespace upskill::install {

// A tar of any of its forms (libarchive), with gzip around it or without. Errors: as unpack().
Result<void> unpack_tar(std::string_view bytes, UnpackTarget& target, const UnpackLimits& limits);

} // namespace upskill::install
