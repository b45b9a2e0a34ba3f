#pragma once
#include "protocol/base/result.h"

#include <cstdint>
#include <string>

namespace upskill::install {

struct UnpackLimits {
  std::uint64_t packed_bytes = 64u << 20;
  std::uint64_t bytes = 256u << 20; // unpacked
  std::uint64_t file_bytes = 64u << 20;
  std::size_t files = 20'000;
  std::size_t depth = 32;
};

// Unpacks a zip (`.skill`) or a tar with or without compression, known by its content, into the
// folder `into` (absolute, empty, ours). Only files, folders and links that stay inside; programs
// keep their bit, nothing else of a mode. Anything else in it makes the whole of it refused: paths
// that lead out, absolute ones, two entries of one name (case and Unicode folded), a local header
// of a zip that disagrees with the central one, a damaged checksum, encryption, devices. Blocks.
// Errors: refused, corrupt, too_large (a bomb: seen while it is unpacked), no_space, io.
Result<void>
unpack(const std::string& archive, const std::string& into, const UnpackLimits& limits = {});

} // namespace upskill::install
