#pragma once
#include "skills/store/tar_header.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace upskill::store {

// What an object ends with: the two blocks of zeros that end a tar, and behind them, where tar
// programs no longer look, a block that says how long the whole object is. Without it a file that a
// power failure cut off between two blocks looks like an object.
inline constexpr std::size_t k_object_end = k_tar_end + k_tar_block;

// Of an object of that many bytes, these included.
std::string object_end(std::uint64_t object_size);

// The length of this file, where it is one that ends as an object of that length does; nothing else
// is looked at, and the descriptor's offset stays where it is.
std::optional<std::uint64_t> whole_object_size(int fd);

} // namespace upskill::store
