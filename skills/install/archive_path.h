#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace upskill::install {

inline constexpr std::size_t k_longest_archive_path = 4096; // bytes
inline constexpr std::size_t k_longest_part = 255;          // bytes, what file systems take

// A path within an archive or an index, cleaned: parts joined by one slash, without `.`; empty for
// the whole itself. Errors (refused): absolute ones and drive letters, `..`, backslashes, control
// characters, what is not UTF-8, what is too long.
Result<std::string> archive_path(std::string_view path);

} // namespace upskill::install
