#pragma once
#include "protocol/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace upskill::install {

// A zip as it is read here (APPNOTE.TXT 6.3.10), and as strictly as no two programs can see two
// different things in it.
struct ZipEntry {
  enum class Kind : std::uint8_t { file, folder, link };
  std::string name = {}; // UTF-8, otherwise as it is there
  Kind kind = Kind::file;
  bool is_program = false;
  bool is_deflated = false;     // else it is stored
  std::uint32_t checksum = 0;   // CRC-32 of its bytes
  std::uint64_t size = 0;       // that it is said to have
  std::string_view packed = {}; // into what was read
};

// Whether it begins as a zip does.
bool is_zip(std::string_view bytes);

// The entries, in the order in which they lie there. The central directory and the local headers
// must say the same of each, and together the entries are the whole file: nothing overlaps, and
// nothing lies before, between or behind them. Errors: corrupt, refused (encryption, several disks,
// zip64, methods other than stored and deflated, devices), too_large for more than `most` entries.
Result<std::vector<ZipEntry>> read_zip_directory(std::string_view bytes, std::size_t most);

} // namespace upskill::install
